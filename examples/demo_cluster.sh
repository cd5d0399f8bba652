#!/bin/sh
# The demo itself, in a project with a local PCS endpoint: examples/demo.sh runs it.
set -eu

# Shows a command and runs it; of what it says, only the lines that match a pattern.
run() {
    pattern=$1
    shift
    printf '$ %s\n' "$*"
    "$@" >log 2>&1 || { cat log; exit 1; }
    sed 's/.*\('"$pattern"'\)/\1/;t;d' log
}

check() {
    printf '$ pcsguard check %s\n' "$1"
    status=0
    pcsguard check "$1" >log || status=$?
    sed "s|$PWD/||" log
    printf '(exit code %s)\n' "$status"
    [ "$status" -eq "$2" ]
}

stack=cdktf.out/stacks/hpc-dev

aws_bucket='import boto3
s3 = boto3.client("s3")
s3.create_bucket(Bucket="example-hpc-scripts")
s3.put_bucket_versioning(Bucket="example-hpc-scripts", VersioningConfiguration={"Status": "Enabled"})'
python -c "$aws_bucket"

echo "== Mistakes that were made past the constructs: terraform plans them, pcsguard does not let them through"
run 'Generated.*' cdktf synth --app 'python examples/cdktf/bad.py'
run 'no pattern' terraform -chdir=$stack init -no-color
run 'Plan:.*' terraform -chdir=$stack plan -no-color -out plan.out
check $stack/plan.out 1

echo
echo "== The cluster of stacks/hpc.toml"
run 'Generated.*' cdktf synth
run 'Plan:.*' terraform -chdir=$stack plan -no-color -out plan.out
check $stack/plan.out 0

echo
echo "== The plan that was checked is the plan that is applied"
run 'Apply complete.*' terraform -chdir=$stack apply -no-color plan.out

echo
echo "== What PCS has now"
printf '$ python examples/cdktf/live.py hpc gpu\n'
python examples/cdktf/live.py hpc gpu

echo
echo "== And back"
run 'Destroy complete.*' cdktf destroy --auto-approve --skip-provider-lock
