"""`nerscope` and `python -m nerscope` are the command line."""


def run() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends it quietly, too."""
    try:
        from nerscope.cli.main import main

        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    run()
