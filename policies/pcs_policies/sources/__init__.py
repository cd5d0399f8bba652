"""One reader per kind of input. What each kind can carry stands in :mod:`pcs_policies.sources.kinds`."""
