"""All measurements, in the order of their rows."""

from scorecard import fuzz

MEASUREMENTS = (fuzz.MEASUREMENT,)
