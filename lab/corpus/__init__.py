"""Documents in, labelled chunks out. Knows no database and no model."""
