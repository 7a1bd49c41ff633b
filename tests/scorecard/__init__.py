"""The reliability scorecard: `make scorecard` measures each row anew and fails where one misses its bar."""
