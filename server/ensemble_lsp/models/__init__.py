"""Members and how they are called: litellm (imported in one module), the embedded model, the scripted one.

Must not know documents or jobs.
"""
