"""The colours of pages and pictures, which the colour-blind tell apart."""

# Okabe and Ito's, with grey for their black and a darker yellow: legible on a light and on a dark ground.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c959f", "#c9b82c")
# The first two as lines and texts of a page on a dark ground.
ON_DARK = ("#56b4e9", "#f0883e")
