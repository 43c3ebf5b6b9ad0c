"""Whether a model's program answers as the model does."""
