"""One file per output format. Each has ``write(result, settings, out, quiet=...)`` and nothing else that others use."""
