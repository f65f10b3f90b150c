"""From files and data frames to codes, and the data sets to try them on."""
