#!/bin/bash
# Tells whoever logs in where they are.
set -euo pipefail
cat >/etc/motd <<MOTD
A node of the cluster ${PCS_CLUSTER_NAME}, group ${PCS_COMPUTE_NODE_GROUP_NAME}.
/home and /scratch are shared; everything else is gone when the node is.
MOTD
