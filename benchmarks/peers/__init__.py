"""Our answers beside those of other implementations, of whatever of them can be had here (``make peers``)."""
