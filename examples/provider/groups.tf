resource "pcs_compute_node_group" "workers" {
  cluster_id               = pcs_cluster.hpc.cluster_id
  name                     = "workers"
  subnet_ids               = [var.subnet_id]
  iam_instance_profile_arn = var.instance_profile_arn
  instance_configs         = [{ instance_type = "hpc7a.96xlarge" }]
  scaling_configuration    = { min_instance_count = 0, max_instance_count = 8 }
  custom_launch_template   = var.launch_template
  node_lifecycle_actions   = { stages = { node_bootstrapped = local.bootstrapped } }

  # A queue keeps a group from being deleted, so a group that is replaced needs its successor, under another name, first.
  lifecycle { create_before_destroy = true }
}

resource "pcs_compute_node_group" "gpu" {
  cluster_id               = pcs_cluster.hpc.cluster_id
  name                     = "gpu"
  subnet_ids               = [var.subnet_id]
  iam_instance_profile_arn = var.instance_profile_arn
  instance_configs         = [{ instance_type = "g5.xlarge" }]
  scaling_configuration    = { min_instance_count = 0, max_instance_count = 4 }
  custom_launch_template   = var.launch_template
  node_lifecycle_actions   = { stages = { node_bootstrapped = local.bootstrapped } }

  lifecycle { create_before_destroy = true }
}

resource "pcs_compute_node_group" "login" {
  cluster_id               = pcs_cluster.hpc.cluster_id
  name                     = "login"
  subnet_ids               = [var.subnet_id]
  iam_instance_profile_arn = var.instance_profile_arn
  instance_configs         = [{ instance_type = "c7i.large" }]
  scaling_configuration    = { min_instance_count = 1, max_instance_count = 1 }
  custom_launch_template   = var.launch_template

  node_lifecycle_actions = {
    stages = {
      node_bootstrapped = local.bootstrapped
      node_ready = [{
        name             = "motd"
        on_error         = "CONTINUE"
        execution_policy = "EVERY_BOOT"
        script_source = {
          script_location = pcs_lifecycle_script.motd.script_location
          s3_version_id   = pcs_lifecycle_script.motd.s3_version_id
          checksum        = pcs_lifecycle_script.motd.checksum
        }
      }]
    }
  }
}
