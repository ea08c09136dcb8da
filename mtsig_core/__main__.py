"""The command line: ``python -m mtsig_core`` is ``mtsig``."""

from mtsig_core.cli.main import main

raise SystemExit(main())
