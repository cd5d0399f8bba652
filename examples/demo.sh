#!/bin/sh
# The main job in a minute: a plan with the mistakes that pcsguard is for, the same plan without them, and what lies behind.
set -eu
cd "$(dirname "$0")/.."

# A terminal shows that somebody else types; a log just shows it.
run() {
    printf '\n$ pcsguard %s\n' "$*"
    status=0
    pcsguard "$@" || status=$?
    printf '(exit code %s)\n' "$status"
}

# Ends the demo when a command does not do what the demo is there to show.
expect() {
    if [ "$status" -ne "$1" ]; then
        printf 'demo: expected exit code %s\n' "$1" >&2
        exit 1
    fi
}

echo "== A plan with mistakes is blocked; with its source, findings carry the line to change"
run check examples/plans/bad.json --source examples/terraform/bad
expect 1

echo
echo "== The same cluster without them passes"
run check examples/plans/good.json --source examples/terraform/good
expect 0

echo
echo "== What the nodes of that group will run when they boot"
run show examples/plans/good.json
expect 0

echo
echo "== Why a rule is there, and how to satisfy it: every rule explains itself"
run explain PCS201
expect 0
