"""Workers, timers, registrations and finalizers: what would stop them, and where that is lost."""
