#!/bin/sh
# From a program in Python to a cluster and back, on this machine alone: examples/demo_cluster.sh, with all that it needs.
# Where that is not there, the plans of examples/plans are checked.
set -eu
cd "$(dirname "$0")/.."

missing=
command -v terraform >/dev/null || missing="terraform"
command -v cdktf >/dev/null || missing="${missing:+$missing, }cdktf (npm, which comes with Node, installs it)"
if [ -n "$missing" ]; then
    echo "Not on PATH: $missing. No cluster is made, so this is the plan of one."
    for plan in bad good; do
        printf '\n$ pcsguard check examples/plans/%s.json --source examples/terraform/%s\n' "$plan" "$plan"
        status=0
        pcsguard check "examples/plans/$plan.json" --source "examples/terraform/$plan" || status=$?
        printf '(exit code %s)\n' "$status"
        [ "$plan $status" = "bad 1" ] || [ "$plan $status" = "good 0" ] || exit 1
    done
    exit 0
fi

# A project of its own, in a folder of its own: nothing is left in this one.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/stacks" "$work/examples"
cp cdktf.json "$work"
cp -r stacks/main.py stacks/hpc.toml stacks/scripts "$work/stacks"
cp -r examples/cdktf examples/demo_cluster.sh "$work/examples"
cd "$work"
pcsguard provider install --mirror plugins >terraform.rc 2>/dev/null

# No prompts, no colours, no look for newer versions, and no configuration but our own.
export TF_CLI_CONFIG_FILE="$work/terraform.rc" TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1 CI=1 NO_COLOR=1
pcsguard local --exec sh examples/demo_cluster.sh 2>complaints || { cat complaints >&2; exit 1; }
