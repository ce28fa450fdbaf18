"""What goes in front of the models. Must not know models or LSP."""
