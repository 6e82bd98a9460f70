"""Memory that grows: what keeps it, and what would take it out."""
