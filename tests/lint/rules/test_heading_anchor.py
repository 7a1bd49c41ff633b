"""The rule `heading-anchor`."""

from rules import table

test_advice = table(
    ("## What is it? {#what-is}\n\nThis.\n", ["1:16+10 warning: `{#what-is}` is shown literally"]),
    ("## What does `{#each}` do? {x}\n\nIt {#repeats}\n", []),
)
