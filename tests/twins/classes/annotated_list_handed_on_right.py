"""The objects of a list are of the annotated class after the list was handed to a function out of sight."""

import zlib

import jax
from numpy import asarray as describe


class Detector:
    def __init__(self, name):
        self.name = name

    def noise(self, key):
        return jax.random.normal(jax.random.fold_in(key, zlib.crc32(self.name.encode())))


def inject(detectors: list[Detector], report, key):
    report(detectors)
    return [detector.noise(key) for detector in detectors]


def example():
    return inject([Detector("a"), Detector("b")], describe, jax.random.key(0))
