"""Losses: laws over ALL, textbook values, and wrong parameters."""

import numpy as np
import pytest

from pdprox import losses
from pdprox.checks import check_loss
from pdprox.losses import (
    Absolute,
    BrokenLine,
    EpsilonInsensitive,
    GeneralizedHinge,
    Hinge,
    Huber,
    L2Loss,
    Logistic,
    PaperForm,
    Pinball,
    Square,
    SquaredHinge,
)
from pdprox.losses.several import paper_form, project_corner
from pdprox.naming import by_name, name_of, specimens

EVERY = specimens(losses.ALL)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("loss", EVERY, ids=str)
def test_laws(loss, dtype):
    check_loss(loss, dtype)


TEXTBOOK = [
    (Hinge(), [-1, 0, 1, 2], [2, 1, 0, 0]),
    (GeneralizedHinge(3.0), [-1, 0, 0.5, 2], [4, 1, 0.5, 0]),
    (Absolute(), [-2, 0, 3], [2, 0, 3]),
    (EpsilonInsensitive(0.5), [-2, 0.25, 3], [1.5, 0, 2.5]),
    (Pinball(0.9), [-2, 0, 3], [1.8, 0, 0.3]),
    (SquaredHinge(), [-1, 0.5, 2], [4, 0.25, 0]),
    (Huber(2.0), [-1, 2, 5], [0.5, 2, 8]),
    (Square(), [-3, 1], [4.5, 0.5]),
    (Logistic(), [0.0], [np.log(2.0)]),
    (BrokenLine((0.0, 1.0), (-1.0, 0.0, 2.0)), [-2, 0.5, 3], [2, 0, 4]),
    (BrokenLine((0.0, 1.0), (-1.0, 1.0, 3.0)), [-1, 0, 1, 2], [1, 0, 1, 4]),
]


@pytest.mark.parametrize(("loss", "t", "expected"), TEXTBOOK, ids=lambda value: str(value)[:30])
def test_textbook_values(loss, t, expected):
    np.testing.assert_allclose(loss.value(np.array(t, float)), expected, rtol=1e-14)


def test_l2_loss_is_the_length_of_each_row():
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(L2Loss().value(rows), [5.0, 0.0])
    np.testing.assert_allclose(L2Loss().dual_prox(rows, 0.1), [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_array_equal(L2Loss().conjugate(np.array([[0.6, 0.8], [0.7, 0.8]])), [0.0, np.inf])


@pytest.mark.parametrize(
    "loss", [Hinge(), Pinball(0.3), EpsilonInsensitive(0.5), GeneralizedHinge(4.0)], ids=str
)
def test_paper_form_reaches_the_same_loss(loss):
    """max over the pieces' simplex of sum beta_k (p_k t + q_k) = loss(t), with the paper's pieces."""
    p, q = PaperForm(loss).pieces
    t = np.linspace(-4, 4, 101)
    np.testing.assert_allclose(np.maximum(0, np.max(t[:, None] * p + q, axis=1)), loss.value(t), atol=1e-14)


def test_paper_form_has_the_constants_of_the_appendix():
    form = PaperForm(GeneralizedHinge(3.0))
    assert form.coupling("primal") == 3.0**2 + 1
    assert form.coupling("dual") == 2 * 3.0**2


def test_corner_projection_by_hand():
    v = np.array([[0.2, 0.3], [2.0, 0.5], [1.0, 1.0], [-1.0, 0.4], [-3.0, -2.0]])
    expected = [[0.2, 0.3], [1.0, 0.0], [0.5, 0.5], [0.0, 0.4], [0.0, 0.0]]
    np.testing.assert_allclose(project_corner(v), expected, atol=1e-15)


def test_names():
    assert name_of(GeneralizedHinge) == "generalized-hinge"
    assert by_name("epsilon_insensitive", losses.ALL, "loss") == EpsilonInsensitive()
    with pytest.raises(ValueError, match=r"unknown loss 'hing'; known: absolute, .*hinge"):
        by_name("hing", losses.ALL, "loss")
    with pytest.raises(ValueError, match="needs parameters"):
        by_name("paper-form", losses.ALL, "loss")


BAD = [
    (lambda: GeneralizedHinge(1.0), "a must be greater than 1, got 1.0"),
    (lambda: EpsilonInsensitive(-0.1), "epsilon must be a number >= 0, got -0.1"),
    (lambda: Pinball(1.0), "quantile must lie strictly between 0 and 1, got 1.0"),
    (lambda: Huber(0.0), "delta must be a number > 0, got 0.0"),
    (lambda: BrokenLine((0.0,), (1.0, -1.0)), "slopes must ascend strictly, or the line is not convex"),
    (lambda: BrokenLine((1.0, 0.0), (-1.0, 0.0, 1.0)), "kinks must ascend strictly"),
    (lambda: BrokenLine((0.0,), (-1.0, 0.0, 1.0)), "1 kinks has 2 slopes, got 3"),
    (lambda: BrokenLine((0.0,), (1.0, 2.0)), "no least value"),
    (lambda: BrokenLine((), (0.0,)), "at least one kink"),
    (lambda: BrokenLine((np.nan,), (-1.0, 1.0)), "kinks must be finite"),
    (lambda: BrokenLine((0.0,), (-np.inf, 1.0)), "infinite slopes need smoothing"),
    (lambda: BrokenLine((0.0,), (-1.0, 1.0), "margins"), 'reads must be "margin" or "residual"'),
    (lambda: PaperForm(Huber()), "only broken lines have the paper's form"),
    (lambda: Hinge().check_targets(np.array([0.0, 1.0, 1.0])), "it also holds 0"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message[:25] for _, message in BAD])
def test_wrong_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_paper_form_keeps_one_dual_where_the_paper_does():
    assert paper_form(Hinge()) == Hinge()
    assert paper_form(Absolute()) == Absolute()
    for loss in (Pinball(0.2), EpsilonInsensitive(0.3), GeneralizedHinge(2.0)):
        assert paper_form(loss) == PaperForm(loss) == paper_form(PaperForm(loss))
