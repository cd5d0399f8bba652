# A whole AWS PCS cluster in one apply: scripts in S3, three groups that run them, and a queue. Without an AWS account,
# `pcsguard local --exec sh examples/provider/try.sh` shows it on this machine.

terraform {
  required_version = ">= 1.8"
  required_providers {
    pcs = {
      source = "pcsguard/pcs"
    }
  }
}

provider "pcs" {
  region       = "us-east-1"
  policy       = "enforce"
  default_tags = { tags = { Team = "hpc" } }
}

variable "bucket" {
  description = "A versioned bucket for the scripts, in the cluster's Region."
  type        = string
  default     = "hpc-scripts"
}

variable "subnet_id" {
  type    = string
  default = "subnet-0123456789abcdef0"
}

variable "security_group_id" {
  type    = string
  default = "sg-0123456789abcdef0"
}

variable "launch_template" {
  type    = object({ template_id = string, version = string })
  default = { template_id = "lt-0123456789abcdef0", version = "1" }
}

variable "instance_profile_arn" {
  type    = string
  default = "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc"
}

variable "queue_with_gpus" {
  description = "Whether jobs of the queue may run on the group `gpu` too."
  type        = bool
  default     = false
}
