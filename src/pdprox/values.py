"""Arrays as parameters: read-only, compared by value, lined up with w."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from pdprox.typing import Floats


class ByValue:
    """Equality and hash of a frozen dataclass that has arrays among its fields (needs ``eq=False``)."""

    def _key(self) -> tuple[Any, ...]:
        values = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, ByValue):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))


class Parameters:
    """The fields of a frozen dataclass as parameters, in scikit-learn's words.

    ``clone`` may share the object, since it never changes; new values make a new object.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` those of parts, too, as ``part__name``."""
        told = fields(self) if is_dataclass(type(self)) else ()  # type: ignore[arg-type]
        own = {field.name: getattr(self, field.name) for field in told if field.init}
        parts = {name: value for name, value in own.items() if isinstance(value, Parameters)} if deep else {}
        return own | {
            f"{name}__{key}": value
            for name, part in parts.items()
            for key, value in part.get_params().items()
        }

    def with_params(self, **values: Any) -> Self:
        """A copy with some parameters replaced; ``part__name`` reaches into parts."""
        own: dict[str, Any] = {}
        deeper: dict[str, dict[str, Any]] = {}
        known = self.get_params(deep=False)
        for key, value in values.items():
            name, _, rest = key.partition("__")
            if name not in known:
                told = ", ".join(known) or "none"
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has: {told}")
            if rest:
                deeper.setdefault(name, {})[rest] = value
            else:
                own[name] = value
        for name, rest_of in deeper.items():
            part = own.get(name, known[name])
            if not isinstance(part, Parameters):
                raise ValueError(f"{name} of {type(self).__name__} has no parameters, it is {part!r}")
            own[name] = part.with_params(**rest_of)
        return replace(self, **own) if own else self  # type: ignore[type-var]

    def __sklearn_clone__(self) -> Self:
        return self


def settle(thing: object, **values: Any) -> None:
    """Set fields of a frozen dataclass once, in its ``__post_init__``."""
    for name, value in values.items():
        object.__setattr__(thing, name, value)


def frozen(values: ArrayLike, name: str) -> Floats:
    """A read-only float64 copy; NaN is an error that says where."""
    try:
        array = np.array(values, dtype=np.float64) + 0.0  # + 0.0: -0.0 and 0.0 are the same value
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, got {values!r}") from error
    refuse(np.isnan(array), array, name, "a number")
    array = np.asarray(array)
    array.setflags(write=False)
    return array


def refuse(bad: np.ndarray, values: Floats, name: str, wanted: str) -> None:
    """Raise ValueError that names the first bad entry of ``values``."""
    if np.any(bad):
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        where = f" at position {place[0] if len(place) == 1 else place}" if place else ""
        raise ValueError(f"{name} must be {wanted}, got {values[place]}{where}")


def charges(values: ArrayLike, name: str) -> Floats:
    """Weights of a penalty: finite and >= 0, one for each thing that is penalised."""
    array = frozen(values, name)
    if array.ndim == 0:
        raise ValueError(
            f"{name} must be one number for each, got the single number {array}; scale lam instead"
        )
    refuse(array < 0, array, name, ">= 0 (0 leaves a coefficient unpenalised)")
    refuse(np.isinf(array), array, name, "finite (to keep a coefficient at zero, leave its feature out)")
    return array


def per_entry(values: Floats, shape: tuple[int, ...], name: str) -> Floats:
    """``values`` lined up with w: a number, one for each row, or one for each entry."""
    if values.ndim == 0 or values.shape == shape:
        return values
    if values.shape == shape[:1]:
        return values.reshape(shape[:1] + (1,) * (len(shape) - 1))
    raise ValueError(
        f"{name} has shape {values.shape}, but the array has shape {shape}; "
        f"give one number for each row or one for each entry"
    )


def number(value: Any, name: str) -> float:
    """A real number; strings, booleans and arrays are errors."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


def real(values: Any, name: str) -> Floats:
    """A float64 array; what is not of a real dtype, or hides entries behind a mask, is an error."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; drop what is masked, or fill it in with .filled(value)")
    return array.astype(np.float64)


def share(value: float, name: str) -> float:
    """A number between 0 and 1."""
    value = number(value, name)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1, got {value}")
    return float(value)


def ratio(top: Floats, bottom: Floats) -> Floats:
    """top / bottom for top, bottom >= 0, with 0 / 0 = 0 and x / 0 = infinity."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        quotient = np.asarray(top / bottom)
    return np.where(top == 0, 0.0, quotient)
