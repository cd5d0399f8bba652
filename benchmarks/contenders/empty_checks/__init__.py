"""For checkov, which wants this file to exist."""
