"""Write the picture that the README shows: ``python docs/make_readme_picture.py``."""

import runpy
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).parent

if __name__ == "__main__":
    mpl.use("agg")
    # The same file for the same picture.
    mpl.rcParams["svg.hashsalt"] = "skcredal"
    drawn = runpy.run_path(str(HERE / "figures" / "set_valued.py"))
    # White behind it: the page that shows it may be dark.
    drawn["figure"].savefig(
        HERE / "_static" / "set_valued.svg", facecolor="white", metadata={"Date": None}, bbox_inches="tight"
    )
