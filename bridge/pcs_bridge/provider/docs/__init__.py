"""The pages of docs/provider/, as the registry has them for other providers: made of the schemas and the example.

- `pages`: all of them; `words`: what no schema can say;
- `schema`: a schema as Markdown; `example`: blocks of examples/provider, which a test applies.
"""
