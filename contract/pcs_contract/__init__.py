"""What AWS PCS accepts: shapes, limits, defaults and spellings, from the standard library alone.

Modules: `shapes` (the API's own types and limits), `prose` and `updates` (what only AWS's text says), `facts` (the
same of clusters and queues), `spelling` (one field, three ways to write it), `limits` (whether values fit the
shapes), `awscc` (what the awscc provider has of PCS), `aws_scripts` (the scripts that AWS publishes), `json_schema`,
and `extract`, which makes `contract.json`. Importing the package reads nothing; the JSON files are read on first use.
"""
