"""What the outcomes of a run say, in numbers: shares, costs, paired differences, calibration, each with its interval.

Nothing here knows where outcomes come from or how they are shown. All randomness comes from the run's seed.
"""
