"""One file per output format. Each has ``write(result, settings, out)`` and nothing else that others use."""
