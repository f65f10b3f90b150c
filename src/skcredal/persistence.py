"""Models on disk that can be trusted: reading a file never runs code from it."""

__all__: list[str] = []
