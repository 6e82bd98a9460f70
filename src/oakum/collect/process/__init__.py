"""This machine: a process by its number, a shim that dumps on a signal, a journal -> evidence; what Go programs run."""
