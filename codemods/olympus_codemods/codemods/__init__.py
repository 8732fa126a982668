"""The codemods, one module for each rule that has a fix."""
