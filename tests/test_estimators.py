"""Estimators have scikit-learn's manners."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from pdprox import estimators


# weights and repeated rows must give equal predictions to 1e-7, so the fits must be as exact as that
@parametrize_with_checks([estimator(tol=1e-9) for estimator in estimators.ALL])
def test_manners(estimator, check):
    check(estimator)
