"""Systems to compare with: recipes that train them, plans that run them on many splits."""
