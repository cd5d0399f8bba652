"""The policy checker for AWS PCS node lifecycle actions, and the ``pcsguard`` command."""

__version__ = "0.1.0"
