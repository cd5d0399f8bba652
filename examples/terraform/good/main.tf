# A compute node group whose lifecycle scripts are pinned, ordered and explicit: `pcsguard check` has nothing to say.
# ../../plans/good.json is the plan of this folder.

terraform {
  required_version = ">= 1.5"
  required_providers {
    awscc = {
      source  = "hashicorp/awscc"
      version = ">= 1.0"
    }
  }
}

provider "awscc" {
  region = "us-east-1"
}

resource "awscc_pcs_compute_node_group" "compute" {
  name                     = "compute"
  cluster_id               = "pcs_example123"
  ami_id                   = "ami-0a1b2c3d4e5f60718"
  iam_instance_profile_arn = "arn:aws:iam::123456789012:instance-profile/aws-pcs/AWSPCS-compute"
  purchase_option          = "ONDEMAND"

  custom_launch_template = {
    template_id = "lt-0a1b2c3d4e5f60718"
    version     = "3"
  }

  instance_configs = [
    { instance_type = "hpc7a.96xlarge" },
  ]

  scaling_configuration = {
    min_instance_count = 0
    max_instance_count = 16
  }

  subnet_ids = ["subnet-0a1b2c3d4e5f60718"]

  node_lifecycle_actions = {
    script_caching_policy = "CACHE_ONCE"

    stages = {
      node_bootstrapped = [
        # First, so that the logs of everything below leave the node before it may be terminated.
        {
          name = "configure-cloudwatch-logs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/configure-cloudwatch-logs-v1.0.0.sh"
            s3_version_id   = "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrH"
            checksum        = "5d2a8f0c3b1e4796a8c7d6e5f4031221b0a9f8e7d6c5b4a3928170605f4e3d2c"
          }
          arguments        = ["--log-group-name", "/aws/pcs/pcs_example123/lifecycle"]
          on_error         = "CONTINUE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "mount-efs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"
            s3_version_id   = "L4kqtJlcpXroDTDmpUMLUo.ZR2uNdCWn"
            checksum        = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
          }
          arguments        = ["--file-system-id", "fs-0a1b2c3d4e5f60718", "--mount-point", "/home"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "mount-fsx-lustre"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-fsx-lustre-v1.0.0.sh"
            s3_version_id   = "UIORUnfndfhnw89493jJFJ.mSpXd3dIb"
            checksum        = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
          }
          arguments = [
            "--fsx-dns-name", "fs-0718a1b2c3d4e5f60.fsx.us-east-1.amazonaws.com",
            "--mount-name", "abcdefgh",
            "--mount-point", "/scratch",
          ]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
      ]

      # Jobs may already run here: nothing that they need, and nothing that may take the node away from them.
      node_ready = [
        {
          name = "set-motd"
          script_source = {
            script_location = "s3://example-hpc-scripts/motd/set-motd-v1.2.0.sh"
            s3_version_id   = "mSpXd3dIbrHY.CopCX9vZ4Wu6bWmPqTn"
            checksum        = "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13"
          }
          arguments        = ["--cluster", "pcs_example123"]
          on_error         = "CONTINUE"
          execution_policy = "FIRST_BOOT_ONLY"
        },
      ]
    }
  }

  tags = {
    Owner = "hpc-platform"
  }
}
