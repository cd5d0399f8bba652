# What others, in a configuration of their own, would look up.

data "pcs_cluster" "hpc" {
  name       = "hpc"
  depends_on = [pcs_cluster.hpc]
}

data "pcs_compute_node_group" "login" {
  cluster_id            = data.pcs_cluster.hpc.cluster_id
  compute_node_group_id = pcs_compute_node_group.login.compute_node_group_id
}

data "pcs_queue" "batch" {
  cluster_id = data.pcs_cluster.hpc.cluster_id
  name       = pcs_queue.batch.name
}

output "scheduler" {
  value = one([for endpoint in data.pcs_cluster.hpc.endpoints : endpoint.private_ip_address if endpoint.type == "SLURMCTLD"])
}

output "groups_of_queue" {
  value = data.pcs_queue.batch.compute_node_group_configurations[*].compute_node_group_id
}

output "login_nodes" {
  value = data.pcs_compute_node_group.login.scaling_configuration.max_instance_count
}

output "mount_checksum" {
  value = provider::pcs::script_checksum("${path.module}/scripts/mount.sh")
}

output "mount_efs_of_aws" {
  value = provider::pcs::aws_script("mount-efs", "1.0.0", "us-east-1")
}
