"""One module per action: what is asked, how answers are merged, and what comes out."""
