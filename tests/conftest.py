"""Puts this folder on the import path, for what the tests of several packages share, and gives JAX four devices."""

import os

os.environ.setdefault("JAX_NUM_CPU_DEVICES", "4")  # for shard_map and pmap; read when JAX is first imported
