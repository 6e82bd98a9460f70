"""Tries things out with the tools of this machine: does a drafted diff compile? Called from cli, never by a stage."""
