"""The command line: ``python -m mtsig_core``."""

import sys

from mtsig_core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
