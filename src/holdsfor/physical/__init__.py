"""Physical plans: operators on rows of columns, and the plans made of them."""
