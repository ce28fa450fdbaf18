"""`ensemble-lsp`: dispatches `serve` before anything of the terminal is imported."""

import gc
import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; `serve` starts the language server with as few imports as possible."""
    try:
        if sys.argv[1:2] == ["serve"] and not {"-h", "--help"} & set(sys.argv[2:]):
            from ensemble_lsp.lsp.start import serve  # noqa: PLC0415  (the terminal's imports would slow the start)

            sys.exit(serve())
        # What is imported stays: looking through it for garbage is a tenth of the start. `run` switches it on again.
        gc.disable()
        from ensemble_lsp.cli.app import run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        # Ctrl-C while modules are still being imported: nothing has begun.
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
