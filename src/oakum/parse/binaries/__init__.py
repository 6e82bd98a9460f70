"""Programs -> what is in them: the build that Go's linker notes, and the names of the functions that are linked in.

`image` opens a file by its first bytes (elf, macho, pe), `build_info` and `function_names` read what Go put there.
"""
