"""The files of a project: what each says to the others, and the driver that asks for facts."""
