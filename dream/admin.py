"""`dream admin`: what whoever keeps the product running does with its ledger and its bus. Options here, work in the
modules of the commands' names."""

import typer

from dream import admin_bus
from dream.options import HELP

app = typer.Typer(help=HELP("help.admin"), no_args_is_help=True)
app.add_typer(admin_bus.app, name="bus")
