"""All measurements, those that take long first."""

from scorecard import (
    caches,
    coverage,
    crashes,
    decks,
    fuzz,
    headings,
    media,
    mutants,
    points,
    races,
    scale,
    slowness,
    suite,
    tables,
)

MEASUREMENTS = (
    fuzz.MEASUREMENT,
    crashes.MEASUREMENT,
    crashes.VANISHING,
    decks.MEASUREMENT,
    points.MEASUREMENT,
    *slowness.MEASUREMENTS,
    caches.MEASUREMENT,
    headings.MEASUREMENT,
    *suite.MEASUREMENTS,
    scale.LARGE,
    media.MEASUREMENT,
    tables.MEASUREMENT,
    scale.SYNC,
    scale.DEPENDENCIES,
    races.AT_ONCE,
    races.ELSEWHERE,
    coverage.MEASUREMENT,
    mutants.MEASUREMENT,
)
