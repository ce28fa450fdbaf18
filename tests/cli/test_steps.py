"""One event of a job as one line of the terminal."""

from ensemble_lsp.cli.steps import step_line
from ensemble_lsp.core.events import Phase, PhaseEntered


def test_a_phase_is_named_with_what_is_said_of_it():
    line = step_line(PhaseEntered(phase=Phase.GATHER, note="starting the embedded model"))
    assert line is not None
    assert line.plain == "gather: starting the embedded model"


def test_that_a_job_waits_is_not_said_beside_the_question_in_the_same_terminal():
    assert (
        step_line(PhaseEntered(phase=Phase.GATHER, note="may code be sent? waiting for the answer")) is None
    )
