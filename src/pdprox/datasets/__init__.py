"""Real data for examples, tests and benchmarks, and files of your own.

``load_*`` reads what comes with the package.  ``fetch_*`` looks into the folder that the environment variable
PDPROX_DATA names, then into the cache, and then downloads from the source (extra ``data``).  ``read`` reads your file.
"""

from __future__ import annotations

from pdprox.datasets.dataset import Dataset, Listing, Ratings, Tasks
from pdprox.datasets.fetching import (
    fetch,
    fetch_a9a,
    fetch_arcene,
    fetch_bardet,
    fetch_barro,
    fetch_bigrams,
    fetch_bodyfat,
    fetch_cal_housing,
    fetch_celegans_donor,
    fetch_colon_cancer,
    fetch_covtype,
    fetch_diabetes,
    fetch_dorothea,
    fetch_ijcnn1,
    fetch_memset_donor_sample,
    fetch_movielens_100k,
    fetch_news20,
    fetch_rcv1,
    fetch_rcv1_small,
    fetch_school,
    fetch_splice_scale,
    fetch_trim32,
    fetch_w8a,
)
from pdprox.datasets.finding import available, data_folder
from pdprox.datasets.reading import read
from pdprox.datasets.shipped import indicators, load_adult, load_engel, load_splice_junction

__all__ = [
    "Dataset",
    "Listing",
    "Ratings",
    "Tasks",
    "available",
    "data_folder",
    "fetch",
    "fetch_a9a",
    "fetch_arcene",
    "fetch_bardet",
    "fetch_barro",
    "fetch_bigrams",
    "fetch_bodyfat",
    "fetch_cal_housing",
    "fetch_celegans_donor",
    "fetch_colon_cancer",
    "fetch_covtype",
    "fetch_diabetes",
    "fetch_dorothea",
    "fetch_ijcnn1",
    "fetch_memset_donor_sample",
    "fetch_movielens_100k",
    "fetch_news20",
    "fetch_rcv1",
    "fetch_rcv1_small",
    "fetch_school",
    "fetch_splice_scale",
    "fetch_trim32",
    "fetch_w8a",
    "indicators",
    "load_adult",
    "load_engel",
    "load_splice_junction",
    "read",
]
