"""The gateway: the only service that talks to people and their programs."""

from pathlib import Path

CONSOLE = Path(__file__).parent / "console"
"""What `make console` builds: index.html, icon.svg, and assets/ with a hash of the content in each name."""
