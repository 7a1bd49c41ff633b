"""`ptcards rules`: lists the rules."""

import json

import click

from ptcards.cli.explain import list_rules
from ptcards.cli.messages import CommandError, common_options, format_option


@click.command()
@click.argument(
    "topic", required=False, metavar="[TOPIC]", help="Only the rules about this: `code`, `cloze`."
)
@format_option("text", "json", help="Output format: a list, or everything for programs.")
@common_options
def command(topic: str | None, form: str) -> None:
    """List the rules by topic. `ptcards explain RULE` explains one of them."""
    from ptcards.diagnostics.suggest import one_of  # noqa: PLC0415 - heavier than --help
    from ptcards.lint.registry import all_rules, rules_as_json  # noqa: PLC0415 - as above

    rules = [*all_rules().values()]
    if topic is not None:
        named = topic.replace("-", " ").replace("_", " ").casefold()
        wanted = _singular(named)
        rules = [rule for rule in rules if _singular(rule.topic) == wanted] or [
            rule for rule in rules if wanted in map(_singular, (*rule.name.split("-"), *rule.topic.split()))
        ]
        if not rules:
            topics = sorted({rule.topic.casefold() for rule in all_rules().values()})
            message = f"no rules are about `{topic}`"
            raise CommandError(message, one_of(named, topics))
    if form == "json":
        click.echo(json.dumps(rules_as_json(rules), indent=2))
    else:
        list_rules(rules)


def _singular(words: str) -> str:
    return words.casefold().removesuffix("s")
