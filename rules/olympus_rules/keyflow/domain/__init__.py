"""What the key flow computes with: terms, values, path conditions, knowledge, the ledger, the state of a run."""
