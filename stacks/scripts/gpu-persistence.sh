#!/bin/bash
# Keeps the NVIDIA driver loaded between jobs, so that not each of them waits for it.
set -euo pipefail
nvidia-smi --persistence-mode=1
