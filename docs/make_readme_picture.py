"""Write the pictures that the README and the home page show: ``python docs/make_readme_picture.py``."""

import runpy
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).parent

if __name__ == "__main__":
    mpl.use("agg")
    # The same file for the same picture.
    mpl.rcParams["svg.hashsalt"] = "skcredal"
    draw = runpy.run_path(str(HERE / "figures" / "set_valued.py"))["draw"]
    for name, dark in (("set_valued", False), ("set_valued-dark", True)):
        draw(dark=dark).savefig(
            HERE / "_static" / f"{name}.svg", transparent=True, metadata={"Date": None}, bbox_inches="tight"
        )
