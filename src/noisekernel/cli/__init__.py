"""The `nk` command: one subcommand a file, each thin over what Python offers."""
