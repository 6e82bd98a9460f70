"""What tells a build without being one: go.mod and its companions, /version endpoints, labels of images, metrics."""
