"""`ptcards explain`: what a rule means."""

import click

from ptcards.cli.options import common_options


@click.command()
@click.argument("rule", required=False, metavar="[RULE]", help="What stands in brackets in a message.")
@common_options
def command(rule: str | None) -> None:
    """Explain a rule: what, why, an example, the fix. Without RULE list all rules."""
    from ptcards.lint.registry import all_rules  # noqa: PLC0415 - heavier than --help
    from ptcards.suggest import did_you_mean  # noqa: PLC0415

    rules = all_rules()
    if rule is None:
        width = max(len(name) for name in rules)
        for each in rules.values():
            click.echo(f"{each.name:{width}}  {each.severity:15}  {each.summary}")
        return
    if rule not in rules:
        advice = did_you_mean(rule, rules, "`ptcards explain` lists the rules")
        message = f"there is no rule `{rule}`; {advice}"
        raise click.UsageError(message)
    click.echo(f"{rule} ({rules[rule].severity})\n\n{rules[rule].explanation}", nl=False)
