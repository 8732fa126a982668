"""How a module of ours shows the names of one of JAX, with errors that explain and objects that become arrays."""
