# The three headline rules, as one would write them for conftest: checksums, locations, TERMINATE in nodeReady.
package pcs

import rego.v1

groups contains change if {
	some change in input.resource_changes
	change.type in {"awscc_pcs_compute_node_group", "pcs_compute_node_group"}
}

scripts contains [change.address, stage, script] if {
	some change in groups
	some stage in {"node_bootstrapped", "node_ready"}
	listed := change.change.after.node_lifecycle_actions.stages[stage]
	is_array(listed)
	some script in listed
}

deny contains [address, "checksum"] if {
	some [address, _, script] in scripts
	not is_string(script.script_source.checksum)
}

deny contains [address, "location"] if {
	some [address, _, script] in scripts
	not secure(script.script_source.script_location)
}

secure(location) if {
	is_string(location)
	regex.match(`^(https|s3)://`, location)
}

deny contains [address, "terminate"] if {
	some [address, "node_ready", script] in scripts
	script.on_error == "TERMINATE"
}
