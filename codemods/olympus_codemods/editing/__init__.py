"""Tools of codemods: names and imports, rewriting, scopes, and the forms that several of them write."""
