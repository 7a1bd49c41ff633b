"""`ptcards rules`: lists the rules."""

import json

import click

from ptcards.cli.explain import list_rules
from ptcards.cli.messages import common_options


@click.command()
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Output format: a list for people, or everything about each rule for programs.",
)
@common_options
def command(format_: str) -> None:
    """List the rules by topic. `ptcards explain RULE` explains one of them."""
    from ptcards.lint.registry import rules_as_json  # noqa: PLC0415 - heavier than --help

    if format_ == "json":
        click.echo(json.dumps(rules_as_json(), indent=2))
    else:
        list_rules()
