"""All measurements, in the order of their rows."""

from scorecard import crashes, fuzz, races

MEASUREMENTS = (fuzz.MEASUREMENT, crashes.MEASUREMENT, races.AT_ONCE, races.ELSEWHERE)
