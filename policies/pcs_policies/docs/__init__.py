"""The generated pages of the documentation, made from the rules and from the table of configuration keys."""
