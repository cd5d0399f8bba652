resource "pcs_cluster" "hpc" {
  name      = "hpc"
  size      = "SMALL"
  scheduler = { type = "SLURM", version = "25.11" }

  networking = {
    subnet_ids         = [var.subnet_id]
    security_group_ids = [var.security_group_id]
  }

  slurm_configuration = {
    scale_down_idle_time_in_seconds = 900
    accounting                      = { mode = "STANDARD", default_purge_time_in_days = 90 }
    slurm_custom_settings           = [{ parameter_name = "MaxArraySize", parameter_value = "2000" }]
  }
}

resource "pcs_queue" "batch" {
  cluster_id = pcs_cluster.hpc.cluster_id
  name       = "batch"

  compute_node_group_configurations = [
    for group in concat([pcs_compute_node_group.workers], var.queue_with_gpus ? [pcs_compute_node_group.gpu] : []) :
    { compute_node_group_id = group.compute_node_group_id }
  ]
}
