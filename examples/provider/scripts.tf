resource "pcs_lifecycle_script" "logs" {
  bucket = var.bucket
  key    = "lifecycle/logs.sh"
  source = "${path.module}/scripts/logs.sh"
}

resource "pcs_lifecycle_script" "mount" {
  bucket = var.bucket
  key    = "lifecycle/mount.sh"
  source = "${path.module}/scripts/mount.sh"
}

resource "pcs_lifecycle_script" "motd" {
  bucket  = var.bucket
  key     = "lifecycle/motd.sh"
  content = <<-EOT
    #!/bin/sh
    echo "Welcome to ${pcs_cluster.hpc.name}." > /etc/motd
  EOT
}

locals {
  # Before jobs run: a forwarder that ships the logs of what comes after it, and the file systems.
  bootstrapped = [
    {
      name             = "logs"
      on_error         = "CONTINUE"
      execution_policy = "EVERY_BOOT"
      arguments        = ["--group", "/hpc/lifecycle"]
      script_source = {
        script_location = pcs_lifecycle_script.logs.script_location
        s3_version_id   = pcs_lifecycle_script.logs.s3_version_id
        checksum        = pcs_lifecycle_script.logs.checksum
      }
    },
    {
      name             = "mount"
      on_error         = "TERMINATE"
      execution_policy = "FIRST_BOOT_ONLY"
      arguments        = null
      script_source = {
        script_location = pcs_lifecycle_script.mount.script_location
        s3_version_id   = pcs_lifecycle_script.mount.s3_version_id
        checksum        = pcs_lifecycle_script.mount.checksum
      }
    },
  ]
}
