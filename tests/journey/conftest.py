"""The tests of the user's project are run by the journey, and are none of ours."""

collect_ignore = ["project"]
