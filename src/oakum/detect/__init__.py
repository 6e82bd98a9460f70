"""Growth -> suspects, harmless ones too, with what speaks for and against each. Decides nothing, reads no source."""
