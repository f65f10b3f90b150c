"""The mathematics between counts and sets of classes."""
