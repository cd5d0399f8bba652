"""The ``pcsguard`` command."""
