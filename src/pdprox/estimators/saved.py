"""Fitted estimators in files."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdprox.estimators import ALL
from pdprox.estimators.base import LinearEstimator, keep
from pdprox.files import FileError, Reader, Tree
from pdprox.packing import SOLUTION, Kind
from pdprox.saving import described, made
from pdprox.values import Parameters

_CLASSES = {kind.__name__: kind for kind in ALL}
#: what fits of some kinds have besides, as arrays or numbers
_MORE = ("alpha_", "alphas_", "scores_")


def _pack(estimator: LinearEstimator) -> Tree:
    if not hasattr(estimator, "coef_"):
        raise ValueError(f"this {type(estimator).__name__} is not fitted; call fit before save")
    parameters = {name: _packed(name, value) for name, value in estimator.get_params(deep=False).items()}
    tree: dict[str, Any] = {
        "class": type(estimator).__name__,
        "parameters": parameters,
        "solutions": [SOLUTION.pack(solution) for solution in estimator._solutions],  # noqa: SLF001
        "dtype": str(estimator.coef_.dtype),
        "n_features_in": int(estimator.n_features_in_),
        "feature_names_in": _words(getattr(estimator, "feature_names_in_", None)),
        "classes": None,
        "more": {name: getattr(estimator, name) for name in _MORE if hasattr(estimator, name)},
    }
    classes = getattr(estimator, "classes_", None)
    if classes is not None:
        tree["classes"] = classes if classes.dtype.kind in "biuf" else _words(classes)
    return tree


def _packed(name: str, value: Any) -> Tree:
    if isinstance(value, Parameters):
        return {"object": described(value)}
    if name == "method" and not isinstance(value, str):
        return {"object": described(value)}
    if isinstance(value, dict):
        return {"pairs": [[_packed(name, key), _packed(name, each)] for key, each in value.items()]}
    if isinstance(value, (list, tuple)):
        return {"list": [_packed(name, each) for each in value]}
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biuf":
        return {"list": _words(value)}
    if value is None or isinstance(value, (bool, str, int, float, np.generic, np.ndarray)):
        return value
    raise TypeError(
        f"{name}={value!r} cannot be saved; set it to a name or a number, or to None, before save"
    )


def _words(values: Any) -> list[str] | None:
    if values is None:
        return None
    strange = [value for value in values if not isinstance(value, str)]
    if strange:
        raise TypeError(f"only names that are strings can be saved, got {strange[0]!r}")
    return [str(value) for value in values]


def _unpack(reader: Reader) -> LinearEstimator:
    kind = _CLASSES[reader.text("class", tuple(_CLASSES))]
    given = reader.inner("parameters")
    try:
        estimator = kind(**{name: _unpacked(given, name) for name in given})
    except TypeError as error:
        raise FileError(f"{reader.path} gives {kind.__name__} parameters that it refuses: {error}") from error
    solutions = [SOLUTION.unpack(each) for each in reader.each("solutions")]
    classes = reader.any("classes")
    if classes is not None:
        estimator.classes_ = np.array(classes)
    if not solutions or (
        classes is not None and len(solutions) != (1 if len(classes) == 2 else len(classes))
    ):
        raise FileError(f"{reader.path} is damaged: it holds {len(solutions)} solutions")
    several = isinstance(getattr(estimator, "quantile", None), (list, tuple, np.ndarray))
    single = len(solutions) == 1 and not several
    keep(estimator, solutions, reader.text("dtype", ("float32", "float64")), single)
    estimator.n_features_in_ = reader.count("n_features_in")
    d = estimator.coef_.shape[-1]
    if d != estimator.n_features_in_:
        raise FileError(f"{reader.path} is damaged: {d} coefficients for {estimator.n_features_in_} features")
    names = reader.any("feature_names_in")
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    more = reader.inner("more")
    for name in more:
        if name in _MORE:
            setattr(estimator, name, more.any(name))
    return estimator


def _unpacked(reader: Reader, name: str) -> Any:
    value = reader.any(name)
    if not isinstance(value, dict):
        return value
    inner = reader.inner(name)
    if "object" in inner.tree:
        return made(inner.inner("object"))
    if "list" in inner.tree:
        return [_plain(each) for each in inner.any("list")]
    return {_plain(key): _plain(each) for key, each in inner.any("pairs")}


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value["list"]] if isinstance(value, dict) else value


ESTIMATOR = Kind("estimator", LinearEstimator, _pack, _unpack)
