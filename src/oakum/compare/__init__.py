"""Several snapshots, or a baseline -> what grew: per place of goroutines, per stack of memory. Judges nothing."""
