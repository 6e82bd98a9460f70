"""The casebook: programs that leak, their fixed twins, healthy look-alikes, and the runner that scores us on them."""
