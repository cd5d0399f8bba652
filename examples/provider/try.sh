#!/bin/sh
# The example without an AWS account: pcsguard local --exec sh examples/provider/try.sh
# It needs terraform, `pcsguard provider install`, and a python3 that has boto3.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$(dirname "$0")"/. "$folder"
cd "$folder"

python3 - <<EOF
import boto3

s3 = boto3.client("s3")
s3.create_bucket(Bucket="hpc-scripts")
s3.put_bucket_versioning(Bucket="hpc-scripts", VersioningConfiguration={"Status": "Enabled"})
EOF

terraform init -input=false
terraform apply -input=false -auto-approve
printf '\n== Another script: only the groups that run it change\n'
echo 'mount /apps' >> scripts/mount.sh
terraform apply -input=false -auto-approve
terraform destroy -input=false -auto-approve
