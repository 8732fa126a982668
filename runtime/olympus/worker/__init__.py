"""The process that answers questions about findings and fixes: its protocol, its limits, and what it may not do."""
