"""What the run says at its end."""


def pytest_terminal_summary(terminalreporter):
    """How many random problems converged, and the seeds, ends and gaps of those that did not."""
    told = [dict(report.user_properties) for report in terminalreporter.getreports("passed")]
    told += [dict(report.user_properties) for report in terminalreporter.getreports("failed")]
    fuzzed = [one for one in told if "seed" in one]
    if not fuzzed:
        return
    open_ended = sorted(
        (one["seed"], one["status"], one["gap"]) for one in fuzzed if one["status"] != "converged"
    )
    terminalreporter.write_sep("-", f"fuzz: {len(fuzzed) - len(open_ended)} of {len(fuzzed)} converged")
    if open_ended:
        each = ", ".join(f"{seed} ({status}, {gap:.0e})" for seed, status, gap in open_ended)
        terminalreporter.write_line(f"honest about what is left, seeds: {each}")
