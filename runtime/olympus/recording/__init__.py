"""Recording the keys that a running program consumes, in eager code and in compiled functions."""

from olympus.recording.executed import Event, Key, Stack
from olympus.recording.intended import reuse_allowed
from olympus.recording.recorder import Recorder

__all__ = ["Event", "Key", "Recorder", "Stack", "reuse_allowed"]
