# What a Kubernetes cluster lets in. The input is the AdmissionReview that the API server sends;
# `data.system.main` (system.rego) wraps the findings into the answer that it wants.
package admission

object := input.request.object

kind := input.request.kind.kind

default exempt := false

exempt if input.request.namespace in data.admission.settings.exempt_namespaces

# The pod of whatever was sent: a bare pod, or the template of something that makes pods.
pod := object.spec if kind == "Pod"

pod := object.spec.template.spec if kind in {"Deployment", "StatefulSet", "DaemonSet", "Job"}

pod := object.spec.jobTemplate.spec.template.spec if kind == "CronJob"

containers contains container if some container in pod.containers

containers contains container if some container in pod.initContainers

deny contains message if {
	some container in containers
	not from_trusted_registry(container.image)
	message := sprintf("%s: image %q comes from a registry that is not trusted", [container.name, container.image])
}

deny contains message if {
	some container in containers
	not pinned(container.image)
	message := sprintf("%s: image %q is not pinned to a version", [container.name, container.image])
}

deny contains message if {
	some container in containers
	container.securityContext.privileged == true
	message := sprintf("%s: runs privileged", [container.name])
}

deny contains message if {
	some container in containers
	some resource in data.admission.settings.required_limits
	not container.resources.limits[resource]
	message := sprintf("%s: sets no limit on %s", [container.name, resource])
}

deny contains message if {
	some label, pattern in data.admission.settings.required_labels
	not label_fits(label, pattern)
	message := sprintf("label %q is absent or does not match %s", [label, pattern])
}

deny contains message if {
	some volume in pod.volumes
	path := volume.hostPath.path
	every allowed in data.admission.settings.host_paths {
		not below(path, allowed)
	}
	message := sprintf("volume %s mounts %s of the host", [volume.name, path])
}

from_trusted_registry(image) if {
	some registry in data.admission.settings.trusted_registries
	startswith(image, concat("", [registry, "/"]))
}

pinned(image) if contains(image, "@sha256:")

pinned(image) if {
	last := regex.replace(image, `^.*/`, "")
	[_, tag] := split(last, ":")
	tag != "latest"
}

label_fits(label, pattern) if regex.match(pattern, object.metadata.labels[label])

below(path, folder) if path == folder

below(path, folder) if startswith(path, concat("", [folder, "/"]))
