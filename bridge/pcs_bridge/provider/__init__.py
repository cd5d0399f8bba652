"""The Terraform provider `pcs`: AWS PCS as resources, over boto3.

From the outside in:

- `__main__`: the program that terraform starts; `install`: puts it where terraform looks for it;
- `provider` with `settings`: the provider block, and which resource types there are;
- `managed`: the life of a resource of any `kind`, from plan to delete; `kinds` says what is different between them;
- `node_groups` with `policy`: what is there for groups only, the rules in the plan; `lookup`: data sources;
- `adoption`: what `terraform import` and `moved` blocks bring;
- `script` with `objects`: scripts in S3; `functions`;
- `schemas`: a schema from the contract; `checks`: what the contract and the rules say of a configuration of a group,
  `limits`: what the contract says of that of any other kind;
- `changes`: the requests that a plan amounts to; `client_token`: that of a Create, by which a killed run is taken up;
- `meaning`: when two values are the same to PCS; `tags`, `timeouts`;
- `connection` with `access`: what the provider block configures for all of them; `remote`: the resources of one kind
  in PCS;
  `client`: calls of the API, repeated where that helps; `waiting`: until an operation is over;
- `failures` with `places`: what the API refuses, as diagnostics of attributes;
- `names`: values in Terraform's spelling and in the API's; `durations`;
- `docs`: the pages of docs/provider/.

Nothing here knows a field of PCS by name that the contract could tell.
"""
