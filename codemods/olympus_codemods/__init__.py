"""How a finding is put right: one module per codemod."""
