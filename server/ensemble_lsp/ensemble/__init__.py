"""The deliberation: phases, prompts, merging, admission, deciding, abstaining.

Must not know how a model is called or how a check runs: both are Protocols in `ports.py`.
"""
