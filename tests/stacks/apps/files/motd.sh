#!/usr/bin/env bash
set -euo pipefail
echo "Welcome" > /etc/motd
