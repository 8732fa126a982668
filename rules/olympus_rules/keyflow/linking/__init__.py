"""The files of a project: what they answer each other, and the driver that collects facts."""
