"""The entry point of `nerscope` and `python -m nerscope`."""


def run() -> None:
    """Run the command line; Ctrl-C during imports also ends it without a traceback."""
    try:
        from nerscope.cli.main import main

        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    run()
