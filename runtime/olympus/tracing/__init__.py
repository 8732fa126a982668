"""A traced function: its equations with all inner ones, and the places in the user's source that led to each."""
