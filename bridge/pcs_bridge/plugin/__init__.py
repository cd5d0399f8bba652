"""How to be a Terraform plugin: protocol 6 over gRPC, for any provider written in Python.

Nothing here knows PCS. A provider describes itself with `provider` and `schema`, and is run by `serve.serve`.
From the outside in:

- `handshake`, `certificate`, `sockets`, `serve`: a process that terraform can start, talk to and end;
- `services`: the gRPC services; `calls`: what each of terraform's calls means for a provider;
- `planning`: the planned state, from configuration and prior state;
- `wire`: messages from and to `schema`, `diagnostics` and `values`; `cty` are the types that both sides name;
- `logs`: lines that terraform's own log takes up;
- `tfplugin6.proto` and what `make proto` generates from it.

Sources: the protocol's documentation in Terraform's repository (docs/plugin-protocol) for messages and values, and
the behaviour of go-plugin, the library on terraform's side, for everything before the first message.
"""
