"""The command line: ``pdprox fit``, ``predict``, ``path``, ``certify``, ``plot``, ``datasets``, ``bench``."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; a clear line instead of a traceback where click or rich is missing."""
    try:
        from pdprox.cli.commands import pdprox
    except ImportError as error:
        if error.name in ("click", "rich"):
            message = f'pdprox: the command line needs {error.name}: pip install "pdprox[cli]"'
            raise SystemExit(message) from None
        raise
    pdprox()
