"""Not a package: checkov executes what lies beside such a file, and has to come upon checkov_entry.py first."""
