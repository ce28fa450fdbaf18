"""The front: documents, actions, diagnostics, proposals. Must not know litellm, checks or the store."""
