#!/bin/sh
# Mounts the file systems that jobs need. A node without them is of no use, so its group terminates it.
set -eu
mount /home
mount /scratch
