"""The gallery: its examples by interest, and thumbnails that show one panel, large enough to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["EXAMPLES", "ByInterest", "setup"]

# In the order of the gallery, what most readers ask first; and the part of the picture, from its upper left
# corner, that the thumbnail shows: most pictures have two panels side by side, too small to read together.
EXAMPLES: dict[str, tuple[float, float]] = {
    "why_undecided": (1.0, 1.0),
    "answers_as_strips": (1.0, 1.0),
    "set_boundary": (1.0, 1.0),
    "set_confusion": (1.0, 1.0),
    "log_pool_curves": (0.5, 0.5),
    "robustness_curve": (0.485, 1.0),
    "reject_costs": (0.5, 1.0),
    "mixed_table": (0.33, 1.0),
    "conformal_sets": (1.0, 1.0),
    "epsilon_path": (0.5, 1.0),
    "grid_search": (0.5, 1.0),
    "out_of_core": (0.5, 1.0),
    "dask_cluster": (0.5, 1.0),
    "new_classifier": (1.0, 1.0),
}


class ByInterest:
    """The sort key of sphinx-gallery for the examples of a folder."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> int:
        """Return where an example stands."""
        return list(EXAMPLES).index(Path(filename).stem)

    def __repr__(self) -> str:
        return "<ByInterest>"


def _cut_thumbnails(app: Any) -> None:
    from PIL import Image

    folder = Path(app.srcdir) / "gallery" / "images"
    for name, (right, bottom) in EXAMPLES.items():
        picture = folder / f"sphx_glr_{name}_001.png"
        # An example that did not change is not run again, and keeps its picture.
        if picture.exists():
            with Image.open(picture) as whole:
                part = whole.crop((0, 0, round(right * whole.width), round(bottom * whole.height)))
                part.save(folder / "thumb" / f"sphx_glr_{name}_thumb.png")


def setup(app: Any) -> dict[str, bool]:
    """Cut the thumbnails after sphinx-gallery has made its own."""
    app.connect("builder-inited", _cut_thumbnails, priority=900)
    return {"parallel_read_safe": True}
