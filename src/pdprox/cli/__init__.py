"""The command line: ``pdprox fit``, ``predict``, ``path``, ``certify``, ``plot``, ``datasets``, ``bench``."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; a clear line instead of a traceback where click or rich is missing."""
    try:
        from pdprox.cli.commands import pdprox
    except ImportError as error:
        if error.name in ("click", "rich"):
            print(f'pdprox: the command line needs {error.name}: pip install "pdprox[cli]"', file=sys.stderr)
            raise SystemExit(1) from None
        raise
    pdprox()
