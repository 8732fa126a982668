"""The rules, one module each: the facts it asks of the key flow, and the message it makes of one."""
