"""
On a Dask cluster
=================

Rows on several machines stay where they are: each partition sends its counts, which are added in a tree,
and the model is the one that a single machine would learn. Here the cluster is two workers on this machine;
for a real one, only the address of the ``Client`` changes.
"""

# %%
# Breiman's waves as a table: 300 rows to learn from, 2,000 to classify. LP-AODE* depends on the order of
# the rows, and Dask sorts rows by their index: so the index is that order.

import dask.dataframe as dd
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster

from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.scale import fit_dask, predict_dask

data = load_dataset("waveform")
table = data.features.assign(kind=data.target.astype(str)).sample(frac=1.0, random_state=0, ignore_index=True)
train, test = table[:300], table[300:2300]

# %%
# ``fit_dask`` uses the given ``client``, or else the cluster that Dask is connected to. The model is the
# same for any number of partitions.

cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)
client = Client(cluster)
whole = CredalLogPoolAODE().fit(train.drop(columns="kind"), train["kind"])
weights = {}
for n_partitions in (1, 7):
    parts = dd.from_pandas(train, npartitions=n_partitions)
    clf = fit_dask(CredalLogPoolAODE(), parts, target="kind", client=client)
    weights[n_partitions] = clf.weights_
    print(
        f"{n_partitions:2} partitions, same counts: {np.array_equal(clf.counts_.n_cab, whole.counts_.n_cab)}"
    )

# %%
# ``predict_dask`` answers partition by partition, and returns a Dask table: nothing is computed until you
# ask for it.

answers = predict_dask(clf, dd.from_pandas(test.drop(columns="kind"), npartitions=7)).compute()
client.close()
cluster.close()
decided = (answers["set_size"] == 1).to_numpy()
right = (answers["predicted"].astype(str) == test["kind"].loc[answers.index]).to_numpy()
print(f"{decided.mean():.0%} of the waves are decided, {right[decided].mean():.0%} of these right")
print(f"of the others {right[~decided].mean():.0%} are right")

# %%
# On the left, the largest weights of LP-AODE*'s experts, learned on one machine (bars) and on the cluster
# (dots). On the right, the answers of the cluster: how many classes the sets contain, and how often the
# most probable one is right.

figure, (left, right_ax) = plt.subplots(1, 2, figsize=(9.5, 3.4))
top = np.argsort(-whole.weights_)[:12]
left.bar(range(len(top)), whole.weights_[top], color="0.8", label="fit, one machine")
for place, (n_partitions, found) in enumerate(weights.items()):
    left.plot(
        np.arange(len(top)) + 0.2 * (place - 0.5),
        found[top],
        "o",
        ms=4,
        label=f"fit_dask, npartitions={n_partitions}",
    )
names = [str(one.super_parent) if one.kind == "spode" else one.kind for one in whole.experts_]
left.set_xticks(range(len(top)), [names[expert] for expert in top], rotation=90, fontsize=7)
left.set(ylabel="weight", xlabel="expert")
left.legend(frameon=False, fontsize=8)
sizes = np.arange(1, answers["set_size"].max() + 1)
of_size = [answers["set_size"].to_numpy() == size for size in sizes]
right_ax.bar(sizes, [chosen.mean() for chosen in of_size], color="0.8", label="share of waves")
right_ax.plot(
    sizes,
    [right[chosen].mean() if chosen.sum() >= 20 else np.nan for chosen in of_size],
    "o-",
    label="most probable class right",
)
right_ax.set_xticks(sizes)
right_ax.set(xlabel="classes in the set", ylim=(0, 1.03))
right_ax.legend(frameon=False, fontsize=8)
plt.show()
