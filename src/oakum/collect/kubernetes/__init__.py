"""A Kubernetes cluster -> its nodes, pods and components as targets, entered as kubectl enters them."""
