"""A checked patch as a commit on a branch of its own, and as a pull request."""
