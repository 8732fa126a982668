"""The files of a project and the settings of each folder."""
