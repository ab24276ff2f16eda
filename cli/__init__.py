"""The graphkit command: parse, call the library, print. Private."""
