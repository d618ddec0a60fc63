"""Tables: Parquet, Arrow, data frames, Hugging Face datasets."""
