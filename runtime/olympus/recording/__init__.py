"""Recording the keys that a running program consumes, in eager code and in compiled functions."""

from olympus.recording.recorder import Event, Key, Recorder, Stack, reuse_allowed

__all__ = ["Event", "Key", "Recorder", "Stack", "reuse_allowed"]
