"""Key flow: which key identities reach which calls, computed on ``ast`` without running the program."""
