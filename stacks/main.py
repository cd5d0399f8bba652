"""What `cdktf.json` starts: the cluster of `hpc.toml`."""

from pcs_stacks.app import main

main()
