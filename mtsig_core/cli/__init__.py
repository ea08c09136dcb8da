"""The command line: a module of commands is imported when one of them runs."""
