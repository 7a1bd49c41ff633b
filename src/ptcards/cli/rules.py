"""`ptcards rules`: lists the rules."""

import json

import click

from ptcards.cli.explain import list_rules
from ptcards.cli.messages import common_options, format_option


@click.command()
@format_option("text", "json", help="Output format: a list, or everything for programs.")
@common_options
def command(form: str) -> None:
    """List the rules by topic. `ptcards explain RULE` explains one of them."""
    from ptcards.lint.registry import rules_as_json  # noqa: PLC0415 - heavier than --help

    if form == "json":
        click.echo(json.dumps(rules_as_json(), indent=2))
    else:
        list_rules()
