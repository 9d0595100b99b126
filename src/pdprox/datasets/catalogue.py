"""The sets that are fetched: one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdprox.datasets import originals
from pdprox.datasets.dataset import Listing
from pdprox.datasets.files import Parsed
from pdprox.datasets.libsvm import libsvm
from pdprox.datasets.shipped import ADULT_GROUPS, ADULT_NAMES
from pdprox.datasets.tables import table

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_UCI = "https://archive.ics.uci.edu/static/public"
_CC_BY = "CC BY 4.0"
_UNKNOWN = "not stated"
_CACHOPO = "Lang (1995), http://qwone.com/~jason/20Newsgroups/, made from the all-terms text of A. Cachopo"


@dataclass(frozen=True, eq=False)
class Entry:
    """A set, where it is, how it is read, and what must come out."""

    listing: Listing
    #: the names under which a folder may hold it; the last is that of the file to download
    files: tuple[str, ...]
    read: Callable[[Path], Parsed]
    #: nothing where no one file can be downloaded
    url: str | None = None
    #: of the file to download, where others publish it: scikit-learn does for its copies, and several users of a9a and
    #: MovieLens agree on theirs
    sha256: str | None = None
    #: rows of each class
    counts: Mapping[float, int] = field(default_factory=dict)
    names: Sequence[str] = ()
    groups: NDArray[np.intp] | None = None


def _entry(
    name: str, call: str, shape: tuple[int, ...], what: str, licence: str, source: str, **rest: Any
) -> Entry:
    description = f"{what}. {source}. Licence: {licence}."
    return Entry(Listing(name, call, shape, description, licence, source), **rest)


def _at(before: int, after: int) -> tuple[str, ...]:
    """Names of the indicators around a donor site, which lies between -1 and 1; GT is at 1 and 2."""
    places = [*range(-before, 0), *range(3, 3 + after)]
    return tuple(f"{letter} at {place}" for place in places for letter in "ACG")


_COVER = (
    "Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points", *(f"Wilderness_Area{k}" for k in range(1, 5)),
    *(f"Soil_Type{k}" for k in range(1, 41)),
)  # fmt: skip

ENTRIES = (
    _entry(
        "a9a", "fetch_a9a()", (32561, 123), "Adult (census income), coded as a9a, training rows",
        _CC_BY, "UCI Machine Learning Repository, in the coding of the LIBSVM data collection",
        files=("a9a.xz", "a9a"), url=f"{_LIBSVM}/binary/a9a", read=partial(libsvm, n_features=123),
        sha256="f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
        counts={1: 7841, -1: 24720}, names=ADULT_NAMES, groups=ADULT_GROUPS,
    ),
    _entry(
        "a9a-test", 'fetch_a9a("test")', (16281, 123), "Adult (census income), coded as a9a, test rows",
        _CC_BY, "UCI Machine Learning Repository, in the coding of the LIBSVM data collection",
        files=("a9a.t.xz", "a9a.t"), url=f"{_LIBSVM}/binary/a9a.t", read=partial(libsvm, n_features=123),
        sha256="1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
        counts={1: 3846, -1: 12435}, names=ADULT_NAMES, groups=ADULT_GROUPS,
    ),
    _entry(
        "w8a", "fetch_w8a()", (49749, 300), "Web pages w8a: which belong to a category",
        _UNKNOWN, "Platt (1998), in the LIBSVM data collection",
        files=("w8a.xz", "w8a"), url=f"{_LIBSVM}/binary/w8a", read=partial(libsvm, n_features=300),
        counts={1: 1479, -1: 48270},
    ),
    _entry(
        "ijcnn1", "fetch_ijcnn1()", (14990, 22), "IJCNN 2001 challenge, validation rows",
        _UNKNOWN, "LIBSVM data collection",
        files=("ijcnn1.val.xz", "ijcnn1.val.bz2"), url=f"{_LIBSVM}/binary/ijcnn1.val.bz2",
        read=partial(libsvm, n_features=22), counts={1: 1438, -1: 13552},
    ),
    _entry(
        "ijcnn1-whole", 'fetch_ijcnn1("whole")', (49990, 22), "IJCNN 2001 challenge, training and validation rows",
        _UNKNOWN, "LIBSVM data collection",
        files=("ijcnn1.bz2",), url=f"{_LIBSVM}/binary/ijcnn1.bz2", read=partial(libsvm, n_features=22),
    ),
    _entry(
        "news20", "fetch_news20()", (15935, 62061), "20 Newsgroups, counts of words, classes 1 to 20, training rows",
        _UNKNOWN, "Lang (1995), in the LIBSVM data collection",
        files=("news20.xz", "news20.bz2"), url=f"{_LIBSVM}/multiclass/news20.bz2",
        read=partial(libsvm, n_features=62061),
    ),
    _entry(
        "bigrams", "fetch_bigrams()", (11293, 926435),
        "20 Newsgroups by date, counts of words and pairs of words, classes 0 to 19, training rows",
        "not stated; research use", _CACHOPO,
        files=("20newsgroups_bigrams.npz",), read=partial(originals.bigrams, part="train"),
    ),
    _entry(
        "bigrams-test", 'fetch_bigrams("test")', (7528, 926435),
        "20 Newsgroups by date, counts of words and pairs of words, classes 0 to 19, test rows",
        "not stated; research use", _CACHOPO,
        files=("20newsgroups_bigrams.npz",), read=partial(originals.bigrams, part="test"),
    ),
    _entry(
        "rcv1", "fetch_rcv1()", (20242, 47236), "Reuters news RCV1, two classes, tf-idf, training rows",
        "research use", "RCV1-v2 (Lewis et al. 2004), in the LIBSVM data collection",
        files=("rcv1_train.binary.bz2",), url=f"{_LIBSVM}/binary/rcv1_train.binary.bz2",
        read=partial(libsvm, n_features=47236),
    ),
    _entry(
        "rcv1-small", "fetch_rcv1_small()", (1000, 47236), "A small part of the Reuters news RCV1, training rows",
        "research use", "RCV1-v2 (Lewis et al. 2004); test data of Vowpal Wabbit, rewritten as LIBSVM text",
        files=("rcv1_small.train.xz",), read=partial(libsvm, n_features=47236), counts={1: 459, -1: 541},
    ),
    _entry(
        "rcv1-small-test", 'fetch_rcv1_small("test")', (500, 47236), "A small part of the Reuters news RCV1, test rows",
        "research use", "RCV1-v2 (Lewis et al. 2004); test data of Vowpal Wabbit, rewritten as LIBSVM text",
        files=("rcv1_small.test.xz",), read=partial(libsvm, n_features=47236), counts={1: 245, -1: 255},
    ),
    _entry(
        "dorothea", "fetch_dorothea()", (800, 88119), "Dorothea: which molecules bind to thrombin, from indicators",
        _CC_BY, "UCI Machine Learning Repository; NIPS 2003 feature selection challenge",
        files=("dorothea_train.xz", "dorothea.zip"), url=f"{_UCI}/169/dorothea.zip", read=originals.dorothea,
        counts={1: 78, -1: 722},
    ),
    _entry(
        "arcene", "fetch_arcene()", (100, 10000), "Arcene: cancer or not, from mass spectra",
        _CC_BY, "UCI Machine Learning Repository; NIPS 2003 feature selection challenge",
        files=("arcene_train.npz", "arcene.zip"), url=f"{_UCI}/167/arcene.zip", read=originals.arcene,
        counts={1: 44, -1: 56},
    ),
    _entry(
        "covtype", "fetch_covtype()", (581012, 54), "Forest cover types, classes 1 to 7",
        _CC_BY, "UCI Machine Learning Repository, as scikit-learn stores it",
        files=("covtype.csv.xz", "covtype.data.gz"), url="https://ndownloader.figshare.com/files/5976039",
        sha256="614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771", read=table,
        counts={1: 211840, 2: 283301, 3: 35754, 4: 2747, 5: 9493, 6: 17367, 7: 20510},
        names=_COVER, groups=np.repeat(np.arange(12), [1] * 10 + [4, 40]),
    ),
    _entry(
        "cal-housing", "fetch_cal_housing()", (20640, 8), "California housing: median values of houses in districts",
        _UNKNOWN, "Pace and Barry (1997), StatLib, as scikit-learn stores it",
        files=("cal_housing.data.xz", "cal_housing.tgz"), url="https://ndownloader.figshare.com/files/5976036",
        sha256="aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681",
        read=partial(table, member="cal_housing.data"),
        names=("longitude", "latitude", "housingMedianAge", "totalRooms", "totalBedrooms", "population", "households",
               "medianIncome"),
    ),
    _entry(
        "bardet", "fetch_bardet()", (120, 100), "Bardet-Biedl syndrome: 20 genes, each as five B-splines",
        "GPL-2 (the R package)", "Scheetz et al. (2006), GEO GSE5680; the R package gglasso",
        files=("bardet.npz",), read=originals.arrays,
        names=tuple(f"gene {gene} spline {k}" for gene in range(1, 21) for k in range(1, 6)),
        groups=np.repeat(np.arange(20), 5),
    ),
    _entry(
        "school", "fetch_school()", (139, 15362, 28), "School (ILEA): exam scores of students, a task for each school",
        "not stated; MALSAR, which distributes it, is GPL-3", "MALSAR, https://github.com/jiayuzhou/MALSAR",
        files=("school.mat",), url="https://github.com/jiayuzhou/MALSAR/raw/master/data/school.mat",
        read=originals.school,
    ),
    _entry(
        "movielens-100k", "fetch_movielens_100k()", (943, 1682), "MovieLens 100K: 100,000 ratings of movies by users",
        "research use; no redistribution without separate permission, no commercial use",
        "GroupLens, https://grouplens.org/datasets/movielens/100k/",
        files=("ml-100k.u.data.xz", "ml-100k.zip"), url="https://files.grouplens.org/datasets/movielens/ml-100k.zip",
        sha256="50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229", read=originals.movielens,
        counts={1: 6110, 2: 11370, 3: 27145, 4: 34174, 5: 21201},
    ),
    _entry(
        "diabetes", "fetch_diabetes()", (442, 10), "Diabetes: its progression after a year, in the units of the source",
        _UNKNOWN, "Efron, Hastie, Johnstone and Tibshirani (2004)",
        files=("diabetes.csv", "diabetes.data"), url="https://hastie.su.domains/Papers/LARS/diabetes.data", read=table,
        names=("age", "sex", "bmi", "bp", *(f"s{k}" for k in range(1, 7))),
    ),
    _entry(
        "barro", "fetch_barro()", (161, 13), "Growth of the gross domestic product of countries",
        "GPL (the R package)", "Barro and Lee; the R package quantreg, as Rdatasets stores it",
        files=("barro.csv",), url="https://vincentarelbundock.github.io/Rdatasets/csv/quantreg/barro.csv",
        read=originals.barro,
    ),
    _entry(
        "splice-scale", "fetch_splice_scale()", (1000, 60), "Splice sites (Statlog), positions as numbers in [-1, 1]",
        _CC_BY, "UCI Machine Learning Repository, in the LIBSVM data collection",
        files=("splice_scale.xz", "splice_scale"), url=f"{_LIBSVM}/binary/splice_scale",
        read=partial(libsvm, n_features=60), counts={1: 517, -1: 483},
    ),
    _entry(
        "colon-cancer", "fetch_colon_cancer()", (62, 2000), "Colon cancer: tumour or normal tissue, from 2000 genes",
        _UNKNOWN, "Alon et al. (1999), in the LIBSVM data collection",
        files=("colon-cancer.npz", "colon-cancer.bz2"), url=f"{_LIBSVM}/binary/colon-cancer.bz2",
        read=originals.colon_cancer, counts={1: 22, -1: 40},
    ),
    _entry(
        "trim32", "fetch_trim32()", (120, 500), "The gene TRIM32 in the eyes of 120 rats, from 500 probes",
        "GPL-3 (the R package)", "Scheetz et al. (2006), GEO GSE5680; the R package abess",
        files=("trim32.csv.xz",), read=partial(table, target=0),
    ),
    *(
        _entry(
            f"bodyfat-{target}", f'fetch_bodyfat("{target}")', (252, 13),
            f"Body fat of 252 men by the formula of {target.capitalize()}, from measures of the body",
            "free for non-commercial use",
            "Johnson (1996), http://lib.stat.cmu.edu/datasets/bodyfat; the R package mfp",
            files=("bodyfat.csv",), read=partial(originals.bodyfat, target=target),
        )
        for target in ("brozek", "siri")
    ),
    _entry(
        "memset-donor-sample", "fetch_memset_donor_sample()", (400, 21),
        "MEMset Donor, a sample: true and false human donor sites, 7 positions",
        "not stated; the R package is GPL", "Yeo and Burge (2004); the R package grplasso",
        files=("memset_donor_sample.csv",), read=originals.memset_donor, counts={1: 200, -1: 200},
        names=_at(3, 4), groups=np.repeat(np.arange(7), 3),
    ),
    _entry(
        "celegans-donor", "fetch_celegans_donor()", (180774, 120),
        "Donor sites of C. elegans, as is inferred: strong true sites and false ones, 40 positions",
        "none given; keep to research use", "KorfLab, https://github.com/KorfLab/genDL",
        files=("celegans_donor.tsv.xz",), read=originals.celegans_donor, counts={1: 8215, -1: 172559},
        names=_at(20, 20), groups=np.repeat(np.arange(40), 3),
    ),
)  # fmt: skip
