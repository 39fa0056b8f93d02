"""The subcommands of ``manage.py kubernetes``: a module each, with HELP, ``add_arguments`` and ``run``."""
