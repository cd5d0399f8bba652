"""What checkov's ``--external-checks-dir`` is pointed at. checkov wants this file to exist; it does not execute it."""
