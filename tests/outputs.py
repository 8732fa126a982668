"""Compares what a program prints with what a page shows."""

from __future__ import annotations

import re

import pytest

NUMBER = re.compile(r"-?\d+\.\d*(?:e-?\d+)?")


def alike(printed: str, shown: str) -> bool:
    """Return whether two texts are equal but for the last digits of fractions, which differ between machines."""
    words = [NUMBER.sub("0.0", text).split() for text in (printed, shown)]  # NumPy pads numbers to one width
    found, expected = ([float(number) for number in NUMBER.findall(text)] for text in (printed, shown))
    return words[0] == words[1] and found == pytest.approx(expected, rel=1e-4)
