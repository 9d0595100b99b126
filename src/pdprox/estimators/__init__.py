"""Estimators in scikit-learn's manner, each answer with its certificate."""

from __future__ import annotations

from pdprox.estimators.base import FitWarning
from pdprox.estimators.cross_validated import LinearClassifierCV, LinearRegressorCV
from pdprox.estimators.groups import labels_of
from pdprox.estimators.linear import BudgetSVC, LinearClassifier, LinearRegressor
from pdprox.estimators.quantile import QuantileRegressor

#: every estimator; tests and docs read it
ALL = (LinearClassifier, LinearRegressor, QuantileRegressor, BudgetSVC, LinearClassifierCV, LinearRegressorCV)

__all__ = [
    "ALL",
    "BudgetSVC",
    "FitWarning",
    "LinearClassifier",
    "LinearClassifierCV",
    "LinearRegressor",
    "LinearRegressorCV",
    "QuantileRegressor",
    "labels_of",
]
