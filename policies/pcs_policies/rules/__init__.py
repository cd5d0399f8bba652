"""The rules, one file each. The table of all of them is :mod:`pcs_policies.rules.table`."""
