"""``python -m olympus_lint``."""

import sys

from olympus_lint.cli import main

if __name__ == "__main__":
    sys.exit(main())
