"""One file for each rule, named after it."""
