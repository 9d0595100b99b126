"""The commands."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import scipy.sparse as sp

import pdprox as library
from pdprox import datasets, estimators
from pdprox.cli import words
from pdprox.cli.tell import answer, aside
from pdprox.files import room_for
from pdprox.solution import ConvergenceWarning

#: the exit status of a fit that ended before its tolerance was met
UNFINISHED = 3

_SHIPPED = ("adult", "splice-junction", "engel")


class Careful(click.Group):
    """Turns what the library finds wrong into one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ValueError, TypeError, OSError, ImportError) as error:
            raise click.ClickException(" ".join(str(error).split())) from None


@click.group(cls=Careful, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(library.__version__, prog_name="pdprox")
def pdprox() -> None:
    """Fit models whose loss and penalty are both non-smooth, each answer with its duality gap.

    Answers go to the standard output, progress to the error output. Exit status: 0 done, 1 an error,
    2 a wrong command line, 3 a fit that ended before its tolerance was met.
    """


def _data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        [
            click.argument("data"),
            click.option("--target", help="The target's column, by name or number (default: the last one)."),
            click.option("--format", "form", type=click.Choice(["libsvm", "csv", "tsv", "npz", "parquet"]),
                         help="The format of DATA (default: seen from its name and contents)."),
            click.option("--n-features", type=click.IntRange(min=1), help="How many columns a LIBSVM file has."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


def _model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        [
            click.option("--loss", default="hinge", show_default=True,
                         help="hinge, absolute, pinball:0.9, generalized-hinge:a=2, ..."),
            click.option("--penalty", default="l1", show_default=True, help="l1, squared-l2, elastic-net:0.5, ..."),
            click.option("--groups", help="For group penalties: prefixes of column names, or labels."),
            click.option("--intercept/--no-intercept", default=True, show_default=True, help="Fit an intercept."),
            click.option("--tol", type=float, default=1e-6, show_default=True, help="Certified gap to stop at."),
            click.option("--max-time", type=float, help="Seconds at most."),
            click.option("--max-iter", type=int, help="Iterations at most."),
            click.option("--method", default="auto", show_default=True, help="The solver's method."),
        ]
    ):  # fmt: skip
        command = option(command)
    return command


_json = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
_quiet = click.option("--quiet", is_flag=True, help="No progress.")


def read(data: str, target: str | None, form: str | None, n_features: int | None) -> tuple[Any, Any, Any]:
    """X, y and names of columns, of a file or of a set that comes with the package."""
    if data in _SHIPPED and not Path(data).exists():
        found = datasets.fetch(data)
        return found.X, found.y, np.array(found.feature_names, dtype=object)
    column: Any = int(target) if target is not None and target.lstrip("-").isdigit() else target
    found = datasets.read(data, target=column, format=form, n_features=n_features)
    names = getattr(found, "feature_names", None)
    return found.X, found.y, np.array(names, dtype=object) if names else None


def _groups(given: str | None, names: Any, d: int) -> Any:
    if given is None:
        return None
    parts: list[Any] = given.split(",")
    if all(part.lstrip("-").isdigit() for part in parts):
        parts = [int(part) for part in parts]
    return estimators.labels_of(parts, names, d)


def _estimator(X: Any, names: Any, alpha: float, quantile: str | None, o: dict[str, Any], quiet: bool) -> Any:
    groups = _groups(o["groups"], names, X.shape[1])
    common = {
        "penalty": words.penalty(o["penalty"], groups), "alpha": alpha, "fit_intercept": o["intercept"],
        "verbose": False if quiet else "bar", **{name: o[name] for name in ("tol", "max_iter", "max_time", "method")},
    }  # fmt: skip
    if quantile is not None:
        levels = words.numbers(quantile, "--quantile")
        return estimators.QuantileRegressor(levels if len(levels) > 1 else levels[0], **common)
    loss = words.loss(o["loss"])
    kind = estimators.LinearClassifier if loss.reads == "margin" else estimators.LinearRegressor
    return kind(loss, **common)


@pdprox.command()
@_data_options
@_model_options
@click.option(
    "--alpha",
    type=float,
    default=0.01,
    show_default=True,
    help="The factor of the penalty; the loss is a mean.",
)
@click.option("--quantile", help="Quantile regression: one quantile, or several with commas between.")
@click.option("--model", type=click.Path(dir_okay=False), help="Where to save the fitted model.")
@click.option("--checkpoint", type=click.Path(dir_okay=False), help="Where to save the run while it goes on.")
@click.option("--every", type=float, default=60.0, show_default=True, help="Seconds between two checkpoints.")
@click.option("--resume", type=click.Path(dir_okay=False), help="A checkpoint to go on from.")
@_quiet
@_json
def fit(
    data: str, target: str | None, form: str | None, n_features: int | None, alpha: float, quantile: str | None,
    model: str | None, checkpoint: str | None, every: float, resume: str | None, quiet: bool, as_json: bool, **o: Any,
) -> None:  # fmt: skip
    r"""Fit a model to DATA: a file (LIBSVM, CSV, TSV, npz, parquet) or adult, splice-junction, engel.

    \b
    Examples:
      pdprox fit adult --alpha 0.001 --model adult.npz
      pdprox fit a9a.svm --penalty squared-l2 --alpha 1e-5 --checkpoint run.npz --every 10
      pdprox fit prices.csv --target price --loss pinball:0.9 --penalty group-lasso --groups age_,area_
    """
    if model is not None:
        room_for(Path(model))  # now, not when all is done
    X, y, names = read(data, target, form, n_features)
    estimator = _estimator(X, names, alpha, quantile, o, quiet)
    if checkpoint is not None or resume is not None:
        estimator.checkpointed(checkpoint, every, resume)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    seconds = time.perf_counter() - began
    if names is not None:
        estimator.feature_names_in_ = names
    for warning in caught:
        aside(f"warning: {warning.message}")
    if model is not None:
        library.save(estimator, model)
    statuses = estimator.status_ if isinstance(estimator.status_, list) else [estimator.status_]
    gap = np.max(np.asarray(estimator.dual_gap_) / np.maximum(np.abs(estimator.objective_), 1e-300))
    facts = {
        "status": estimator.status_, "objective": estimator.objective_, "gap": estimator.dual_gap_,
        "relative gap": float(gap), "samples": X.shape[0], "features": X.shape[1],
        "nonzero": int(np.count_nonzero(estimator.coef_)), "seconds": seconds, "model": model,
    }  # fmt: skip
    answer(facts, as_json)
    if any(status != "converged" for status in statuses):
        sys.exit(UNFINISHED)


@pdprox.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@_data_options
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    help="Where to write the predictions (default: standard output).",
)
@click.option("--decision", is_flag=True, help="Scores instead of classes.")
@click.option("--score", is_flag=True, help="How well the predictions fit the targets, and no predictions.")
@_json
def predict(
    model: str, data: str, target: str | None, form: str | None, n_features: int | None, output: str | None,
    decision: bool, score: bool, as_json: bool,
) -> None:  # fmt: skip
    r"""Predict the targets of DATA by a saved MODEL, a line each.

    \b
    Examples:
      pdprox predict adult.npz a9a.t --score
      pdprox predict prices.npz new.csv --target price --output predictions.txt
    """
    estimator = _loaded(model)
    if output is not None:
        room_for(Path(output))
    X, y, _ = read(data, target, form, n_features)
    X = _bare(estimator, X)
    if score:
        words_of = "accuracy" if hasattr(estimator, "classes_") else "R^2"
        answer({words_of: float(estimator.score(X, y)), "samples": X.shape[0]}, as_json)
        return
    if decision and not hasattr(estimator, "decision_function"):
        raise click.UsageError("--decision is for classifiers")
    predictions = estimator.decision_function(X) if decision else estimator.predict(X)
    if as_json:
        answer({"predictions": predictions}, True)
        return
    lines = "\n".join(" ".join(str(each) for each in np.atleast_1d(row)) for row in predictions) + "\n"
    if output is None:
        click.echo(lines, nl=False)
    else:
        Path(output).write_text(lines, encoding="utf-8")
        aside(f"{len(predictions)} predictions written to {output}")


@pdprox.command()
@_data_options
@_model_options
@click.option(
    "--n-alphas", type=click.IntRange(min=1), default=50, show_default=True, help="How many alphas."
)
@click.option(
    "--ratio", type=float, default=1e-2, show_default=True, help="The smallest alpha over the largest."
)
@click.option("--model", type=click.Path(dir_okay=False), help="Where to save the path.")
@_quiet
@_json
def path(
    data: str, target: str | None, form: str | None, n_features: int | None, n_alphas: int, ratio: float,
    model: str | None, quiet: bool, as_json: bool, **o: Any,
) -> None:  # fmt: skip
    r"""Solve for falling alpha, from where all coefficients are 0: a line of CSV each.

    \b
    Example:
      pdprox path adult --n-alphas 20 --model path.npz > path.csv
    """
    X, y, names = read(data, target, form, n_features)
    problem = _problem(X, y, names, 1.0, o)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        found = library.path(
            problem, n_lams=n_alphas, ratio=ratio, tol=o["tol"], method=o["method"], max_iter=o["max_iter"],
            max_time=o["max_time"],
        )  # fmt: skip
    for warning in caught:
        aside(f"warning: {warning.message}")
    if model is not None:
        library.save(found, model)
    counts = [int(np.count_nonzero(solution.w)) for solution in found.solutions]
    if as_json:
        facts = {
            "alpha": found.lams,
            "objective": found.primal,
            "relative gap": found.relative_gap,
            "nonzero": counts,
        }
        answer(facts, True)
    else:
        click.echo("alpha,objective,relative_gap,nonzero,status")
        for lam, solution, count in zip(found.lams, found.solutions, counts, strict=True):
            certificate = solution.certificate
            click.echo(
                f"{lam:.10g},{certificate.primal:.10g},{certificate.relative_gap:.3g},{count},{solution.status}"
            )
    if not all(solution.converged for solution in found.solutions):
        sys.exit(UNFINISHED)


@pdprox.command()
@click.argument("coefficients", type=click.Path(exists=True, dir_okay=False))
@_data_options
@click.option("--loss", default="hinge", show_default=True, help="As in fit.")
@click.option("--penalty", default="l1", show_default=True, help="As in fit.")
@click.option("--groups", help="As in fit.")
@click.option(
    "--intercept/--no-intercept", default=True, show_default=True, help="Whether the model has an intercept."
)
@click.option("--alpha", type=float, help="The factor of the penalty (a saved model knows it).")
@click.option(
    "--tol",
    type=float,
    default=1e-6,
    show_default=True,
    help="The relative gap up to which the exit status is 0.",
)
@_json
def certify(
    coefficients: str, data: str, target: str | None, form: str | None, n_features: int | None, alpha: float | None,
    tol: float, as_json: bool, **o: Any,
) -> None:  # fmt: skip
    r"""How far COEFFICIENTS are from optimal for DATA, whoever found them.

    COEFFICIENTS is a model that pdprox saved, or numbers in a text file: one for each column. The best intercept
    is found. The exit status is 3 if the certified relative gap is larger than --tol.

    \b
    Examples:
      pdprox certify adult.npz adult
      pdprox certify theirs.txt a9a.svm --loss hinge --penalty l1 --alpha 0.001
    """
    X, y, names = read(data, target, form, n_features)
    try:
        estimator = _loaded(coefficients)
    except library.FileError:
        if coefficients.endswith(".npz"):
            raise
        estimator = None
    if estimator is None:
        if alpha is None:
            raise click.UsageError("--alpha is needed: a text file does not know the factor of the penalty")
        w = _numbers(coefficients, X.shape[1])
        certificate = library.certify(_problem(X, y, names, alpha, o), w)
    else:
        X = _bare(estimator, X)
        certificate = estimator.certify(X, y)
        if isinstance(certificate, list):
            certificate = max(certificate, key=lambda each: each.relative_gap)
            aside(f"{coefficients} holds several models; this is the worst of their certificates")
    facts = {
        "primal": certificate.primal, "dual": certificate.dual, "gap": certificate.gap,
        "relative gap": certificate.relative_gap, "intercept": certificate.intercept,
    }  # fmt: skip
    answer(facts, as_json)
    if not certificate.relative_gap <= tol:
        sys.exit(UNFINISHED)


@pdprox.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--output", default="pdprox.png", show_default=True, type=click.Path(dir_okay=False), help="The picture."
)
@click.option(
    "--against",
    type=click.Choice(["seconds", "passes"]),
    default="seconds",
    show_default=True,
    help="The gap's axis.",
)
def plot(model: str, output: str, against: Any) -> None:
    r"""Draw how the gap of a saved fit fell, or the coefficients of a saved path.

    \b
    Example:
      pdprox plot adult.npz --output adult.png
    """
    import matplotlib as mpl

    mpl.use("agg")
    from pdprox import displays

    room_for(Path(output))
    thing = library.load(model)
    if isinstance(thing, library.Path):
        display: Any = displays.PathDisplay.from_path(thing)
    elif isinstance(thing, library.Solution):
        display = displays.ConvergenceDisplay.from_solutions({thing.method: thing}, against)
    else:
        display = displays.ConvergenceDisplay.from_estimator(thing, against=against)
    display.figure_.savefig(output, dpi=150, bbox_inches="tight")
    aside(f"drawn: {output}")


@pdprox.command(name="datasets")
@click.argument("name", required=False)
@_json
def datasets_command(name: str | None, as_json: bool) -> None:
    r"""List the data sets, or fetch NAME into the cache.

    \b
    Examples:
      pdprox datasets
      pdprox datasets covtype
    """
    listed = datasets.available()
    if name is None:
        if as_json:
            answer(
                {
                    each.name: {"shape": each.shape, "at hand": each.at_hand, "source": each.source}
                    for each in listed
                },
                True,
            )
            return
        for each in listed:
            click.echo(f"{each.name:24s} {each.shape!s:20s} {each.at_hand or '-':10s} {each.source}")
        return
    known = [each.name for each in listed]
    if name not in known:
        raise click.BadParameter(f"unknown data set {name!r}; known: {', '.join(known)}")
    found = datasets.fetch(name)
    aside(f"{name}: {getattr(found, 'description', type(found).__name__)}")


@pdprox.command()
@_json
def bench(as_json: bool) -> None:
    """Seconds that a few problems on the data of the package take on this machine, to certified gaps."""
    adult, splice, engel = datasets.load_adult(), datasets.load_splice_junction(), datasets.load_engel()
    from pdprox.losses import Pinball
    from pdprox.penalties import GroupLasso

    problems = {
        "adult, hinge + l1": library.Problem(adult.X, adult.y, lam=1e-3),
        "adult, hinge + l2^2": library.Problem(adult.X, adult.y, "hinge", "squared-l2", 1e-4),
        "splice junction, hinge + groups": library.Problem(
            splice.X, splice.y, "hinge", GroupLasso(splice.groups), 0.01
        ),
        "Engel, pinball 0.9": library.Problem(engel.X, engel.y, Pinball(0.9), lam=1e-3),
    }
    table: dict[str, Any] = {}
    for name, problem in problems.items():
        seconds = []
        for tol in (1e-2, 1e-4, 1e-6):
            library.solve(problem, tol=tol)
            began = time.perf_counter()
            library.solve(problem, tol=tol)
            seconds.append(time.perf_counter() - began)
        table[name] = seconds
    if as_json:
        answer(table, True)
        return
    click.echo(f"{'problem':34s} {'1e-2':>9s} {'1e-4':>9s} {'1e-6':>9s}")
    for name, seconds in table.items():
        click.echo(f"{name:34s} " + " ".join(f"{each:9.4f}" for each in seconds))


def _problem(X: Any, y: Any, names: Any, alpha: float, o: dict[str, Any]) -> Any:
    loss, groups = words.loss(o["loss"]), _groups(o["groups"], names, X.shape[1])
    if loss.reads == "margin":
        classes = np.unique(y)
        if len(classes) != 2:
            raise click.ClickException(f"this needs two classes, and the target has {len(classes)}")
        y = np.where(y == classes[1], 1.0, -1.0)
    return library.Problem(X, y, loss, words.penalty(o["penalty"], groups), alpha, o["intercept"])


def _loaded(model: str) -> Any:
    thing = library.load(model)
    if not isinstance(thing, estimators.ALL):
        raise library.FileError(f"{model} holds a {type(thing).__name__}, not a fitted estimator")
    return thing


def _bare(estimator: Any, X: Any) -> Any:
    """X, for a model that shall miss neither names of columns nor last columns that are all zero in a LIBSVM file."""
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    d = estimator.n_features_in_
    if not sp.issparse(X) or X.shape[1] >= d:  # type: ignore[attr-defined]
        return X
    rows: Any = X
    return sp.csr_array((rows.data, rows.indices, rows.indptr), (rows.shape[0], d))


def _numbers(name: str, d: int) -> Any:
    try:
        w = np.loadtxt(name, ndmin=1)
    except ValueError as error:
        raise click.ClickException(f"{name} must hold numbers, one for each column: {error}") from None
    if w.shape != (d,):
        raise click.ClickException(f"{name} holds {w.size} numbers, and the data have {d} columns")
    return w
