"""From consumptions and notes to facts, each with its confidence."""
