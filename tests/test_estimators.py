"""Estimators have scikit-learn's manners."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from pdprox import estimators


@parametrize_with_checks([estimator() for estimator in estimators.ALL])
def test_manners(estimator, check):
    check(estimator)
