"""
Out of core: Parquet files larger than memory
=============================================

The counts that a model learns from add up: it can be fitted batch by batch, and equals the one that has
seen all rows at once. Here the rows lie in Parquet files, and no more than a batch of them is in memory at
a time.
"""

# %%
# Four files with five thousand waves each stand for a folder that does not fit in memory.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.scale import fit_batches, predict_batches, scan_parquet

data = load_dataset("waveform")
table = data.features.assign(kind=data.target.astype(str))
folder = Path(tempfile.mkdtemp())
for part in range(4):
    table.sample(frac=1.0, random_state=part).to_parquet(folder / f"part-{part}.parquet", index=False)

# %%
# ``scan_parquet`` compares the schemas of all files at once, and reads rows when they are asked for. For
# LP-AODE*, ``fit_batches`` passes over them twice: first for the cuts and a sample of the rows, then for
# the counts.

passes: dict[str, list[tuple[float, int]]] = {}


def remember(progress):
    passes.setdefault(progress.stage, []).append((progress.seconds, progress.n_rows))


scan = scan_parquet(folder, target="kind", batch_rows=1250)
clf = fit_batches(CredalLogPoolAODE(), scan, progress=remember)
print(f"{scan.n_rows} rows, passes for {', '.join(passes)}")

# %%
# The model equals that of ``fit`` on all rows in the same order: the same counts and the same weights.

everything = pd.concat(map(pd.read_parquet, sorted(folder.glob("part-*.parquet"))))
whole = CredalLogPoolAODE().fit(everything.drop(columns="kind"), everything["kind"])
print("same counts:", np.array_equal(clf.counts_.n_cab, whole.counts_.n_cab))
print("same weights:", np.allclose(clf.weights_, whole.weights_, rtol=1e-9))

# %%
# Predictions are streamed, too. The file has a column for the class, the set, the bounds and the
# robustness.

n_rows = predict_batches(clf, scan_parquet(folder / "part-0.parquet", target="kind"), folder / "answers")
answers = pd.read_parquet(folder / "answers")
print(answers[["predicted", "set", "lower_0", "upper_0", "robustness"]].head(3).to_string())

# %%
# On the left, the rows read against time, for each pass: after the first batches, which may have to wait
# for compilation, each takes about as long as the one before. On the right, what came out of the stream:
# how far apart the bounds of the classes are. With so many rows to learn from, they are close in most rows.

width = np.concatenate([answers[f"upper_{c}"] - answers[f"lower_{c}"] for c in clf.classes_])
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.4))
for stage, points in passes.items():
    seconds, rows = np.array(points).T
    left.plot(np.append(0, seconds), np.append(0, rows) / 1000, marker="o", ms=3, label=stage)
left.set(xlabel="seconds since the pass began", ylabel="thousand rows")
left.legend(frameon=False)
right.hist(np.maximum(width, 1e-12), bins=np.geomspace(1e-12, 1, 49))
right.set(xscale="log", yscale="log", xlabel="upper − lower probability", ylabel="classes of rows")
plt.show()
