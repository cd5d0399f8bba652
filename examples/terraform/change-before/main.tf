# The cluster before the change that ../change makes.

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
    max_instance_count = 64
  }

  subnet_ids = ["subnet-0a1b2c3d4e5f60718"]

  node_lifecycle_actions = {
    script_caching_policy = "CACHE_ONCE"

    stages = {
      node_bootstrapped = [
        {
          name = "configure-cloudwatch-logs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/configure-cloudwatch-logs-v1.0.0.sh"
            s3_version_id   = "KkQ1K5hizHS3miQERWNnFdf5WJNfsClC"
            checksum        = "8cd594a4e07cedaa548c0d46a9a5f925c46e333b0ab84a147b365b82b011f5e3"
          }
          arguments        = ["--log-group-name", "/aws/pcs/pcs_example123/lifecycle"]
          on_error         = "CONTINUE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "mount-efs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"
            s3_version_id   = "LLjpzMQCpOYvkYamuKwx43l_kpgzioCw"
            checksum        = "e87a7396881391fb36a7cfc5abb0a67565c98c1299c735dd63c3e99188ceb1bf"
          }
          arguments        = ["--file-system-id", "fs-0a1b2c3d4e5f60718", "--mount-point", "/home"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "mount-fsx-lustre"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-fsx-lustre-v1.0.0.sh"
            s3_version_id   = "m1AJ9VOEJnYxaFdgye5985KYXhwBOwfG"
            checksum        = "a3593c1468f1007fa9ec268319efdd673973951aadc1fc912feba39d45a7f4fe"
          }
          arguments        = ["--fsx-dns-name", "fs-0718a1b2c3d4e5f60.fsx.us-east-1.amazonaws.com", "--mount-name", "abcdefgh", "--mount-point", "/scratch"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "join-directory"
          script_source = {
            script_location = "s3://example-hpc-scripts/join-directory-v3.sh"
            s3_version_id   = "dphf2YT5EkS_uaGP5gwzboWd4SvQL55l"
            checksum        = "660dfaa56a45fb9ebe3400b08d264a987cf664c0de342d417e319fc0ac75bd03"
          }
          arguments        = ["--realm", "hpc.example.com"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "tune-kernel"
          script_source = {
            script_location = "s3://example-hpc-scripts/tune-kernel-v2.sh"
            s3_version_id   = "E3fPvZzAuwdSA1lZ4St65g4EW2yFhmHX"
            checksum        = "14ec5bf73d24eeb26304f1777cc555311a8c38ed798c9ac753bb2cbac960b9cd"
          }
          arguments        = ["--profile", "hpc"]
          on_error         = "STOP_SEQUENCE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "install-drivers"
          script_source = {
            script_location = "s3://example-hpc-scripts/install-drivers-v7.sh"
            s3_version_id   = "o9Aad2e9q4uaWwaoomvUoc7ilcpmaKl_"
            checksum        = "8e61989bbe4e28e4cd03e54861947a2a3985ff1cf5bb1c34a21b26b005337fb7"
          }
          arguments        = ["--channel", "stable"]
          on_error         = "TERMINATE"
          execution_policy = "FIRST_BOOT_ONLY"
        },
      ]

      node_ready = [
        {
          name = "set-motd"
          script_source = {
            script_location = "s3://example-hpc-scripts/set-motd-v1.2.0.sh"
            s3_version_id   = "y0.PM9fW9Ohfwj3p3j4qdTlEj8XG_vl0"
            checksum        = "0c6e150ad9b3e5869cf1dcba86b4337e2c24dd14eea8249a7ca001382d802320"
          }
          arguments        = ["--cluster", "pcs_example123"]
          on_error         = "CONTINUE"
          execution_policy = "FIRST_BOOT_ONLY"
        },
        {
          name = "tag-instance"
          script_source = {
            script_location = "s3://example-hpc-scripts/tag-instance-v1.sh"
            s3_version_id   = "demMwrkE55g0kR6sq4kfknGaoKxGhdps"
            checksum        = "02bf37f2313867cb39058536cbdc3de2a91fba982f785b9ad144722b2a06d985"
          }
          arguments        = ["--project", "hpc"]
          on_error         = "CONTINUE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "warm-cache"
          script_source = {
            script_location = "s3://example-hpc-scripts/warm-cache-v1.sh"
            s3_version_id   = "MvdSCRF1Dm0XmMJYZ2LmiqS33EImjNx9"
            checksum        = "bec72b6110ccf05e1bc5c928212f78f900e13bc113c5258685b078d80b014d69"
          }
          on_error         = "CONTINUE"
          execution_policy = "FIRST_BOOT_ONLY"
        },
      ]
    }
  }
}

resource "awscc_pcs_compute_node_group" "gpu" {
  name                     = "gpu"
  cluster_id               = "pcs_example123"
  ami_id                   = "ami-0a1b2c3d4e5f60718"
  iam_instance_profile_arn = "arn:aws:iam::123456789012:instance-profile/aws-pcs/AWSPCS-compute"
  purchase_option          = "ONDEMAND"

  custom_launch_template = {
    template_id = "lt-0a1b2c3d4e5f60718"
    version     = "3"
  }

  instance_configs = [
    { instance_type = "p5.48xlarge" },
  ]

  scaling_configuration = {
    min_instance_count = 2
    max_instance_count = 2
  }

  subnet_ids = ["subnet-0a1b2c3d4e5f60718"]

  node_lifecycle_actions = {
    script_caching_policy = "CACHE_ONCE"

    stages = {
      node_bootstrapped = [
        {
          name = "configure-cloudwatch-logs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/configure-cloudwatch-logs-v1.0.0.sh"
            s3_version_id   = "KkQ1K5hizHS3miQERWNnFdf5WJNfsClC"
            checksum        = "8cd594a4e07cedaa548c0d46a9a5f925c46e333b0ab84a147b365b82b011f5e3"
          }
          arguments        = ["--log-group-name", "/aws/pcs/pcs_example123/lifecycle"]
          on_error         = "CONTINUE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "mount-efs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"
            s3_version_id   = "LLjpzMQCpOYvkYamuKwx43l_kpgzioCw"
            checksum        = "e87a7396881391fb36a7cfc5abb0a67565c98c1299c735dd63c3e99188ceb1bf"
          }
          arguments        = ["--file-system-id", "fs-0a1b2c3d4e5f60718", "--mount-point", "/home"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
      ]

      node_ready = [
        {
          name = "set-motd"
          script_source = {
            script_location = "s3://example-hpc-scripts/set-motd-v1.2.0.sh"
            s3_version_id   = "y0.PM9fW9Ohfwj3p3j4qdTlEj8XG_vl0"
            checksum        = "0c6e150ad9b3e5869cf1dcba86b4337e2c24dd14eea8249a7ca001382d802320"
          }
          arguments        = ["--cluster", "pcs_example123"]
          on_error         = "CONTINUE"
          execution_policy = "FIRST_BOOT_ONLY"
        },
      ]
    }
  }
}

resource "awscc_pcs_compute_node_group" "login" {
  name                     = "login"
  cluster_id               = "pcs_example123"
  ami_id                   = "ami-0a1b2c3d4e5f60718"
  iam_instance_profile_arn = "arn:aws:iam::123456789012:instance-profile/aws-pcs/AWSPCS-compute"
  purchase_option          = "ONDEMAND"

  custom_launch_template = {
    template_id = "lt-0a1b2c3d4e5f60718"
    version     = "3"
  }

  instance_configs = [
    { instance_type = "m7i.xlarge" },
  ]

  scaling_configuration = {
    min_instance_count = 1
    max_instance_count = 1
  }

  subnet_ids = ["subnet-0a1b2c3d4e5f60718"]

  node_lifecycle_actions = {
    script_caching_policy = "CACHE_ONCE"

    stages = {
      node_bootstrapped = [
        {
          name = "configure-cloudwatch-logs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/configure-cloudwatch-logs-v1.0.0.sh"
            s3_version_id   = "KkQ1K5hizHS3miQERWNnFdf5WJNfsClC"
            checksum        = "8cd594a4e07cedaa548c0d46a9a5f925c46e333b0ab84a147b365b82b011f5e3"
          }
          arguments        = ["--log-group-name", "/aws/pcs/pcs_example123/lifecycle"]
          on_error         = "CONTINUE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "mount-efs"
          script_source = {
            script_location = "s3://aws-pcs-repo-us-east-1/aws-pcs-node-lifecycle-scripts/mount-efs-v1.0.0.sh"
            s3_version_id   = "LLjpzMQCpOYvkYamuKwx43l_kpgzioCw"
            checksum        = "e87a7396881391fb36a7cfc5abb0a67565c98c1299c735dd63c3e99188ceb1bf"
          }
          arguments        = ["--file-system-id", "fs-0a1b2c3d4e5f60718", "--mount-point", "/home"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
        {
          name = "join-directory"
          script_source = {
            script_location = "s3://example-hpc-scripts/join-directory-v3.sh"
            s3_version_id   = "dphf2YT5EkS_uaGP5gwzboWd4SvQL55l"
            checksum        = "660dfaa56a45fb9ebe3400b08d264a987cf664c0de342d417e319fc0ac75bd03"
          }
          arguments        = ["--realm", "hpc.example.com"]
          on_error         = "TERMINATE"
          execution_policy = "EVERY_BOOT"
        },
      ]

      node_ready = [
        {
          name = "set-motd"
          script_source = {
            script_location = "s3://example-hpc-scripts/set-motd-v1.2.0.sh"
            s3_version_id   = "y0.PM9fW9Ohfwj3p3j4qdTlEj8XG_vl0"
            checksum        = "0c6e150ad9b3e5869cf1dcba86b4337e2c24dd14eea8249a7ca001382d802320"
          }
          arguments        = ["--cluster", "pcs_example123"]
          on_error         = "CONTINUE"
          execution_policy = "FIRST_BOOT_ONLY"
        },
      ]
    }
  }
}
