"""One function for each set of the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdprox.datasets.dataset import Dataset, Numbered, Ratings, Tasks
from pdprox.datasets.finding import available, fetched
from pdprox.datasets.shipped import load_adult, load_engel, load_splice_junction


def fetch_a9a(subset: str = "train") -> Dataset:
    """Adult (census income) in the coding a9a: 32561 training rows or, with ``subset="test"``, 16281 others.

    The training rows are those of ``load_adult``, in the same order.  Labels are 1 and -1, the groups attributes.
    """
    return _dataset(_chosen(subset, train="a9a", test="a9a-test"))


def fetch_w8a() -> Dataset:
    """Web pages w8a: 49749 rows, thousands of which are equal, of 300 key words; 3 % of the labels are 1."""
    return _dataset("w8a")


def fetch_ijcnn1(subset: str = "validation") -> Dataset:
    """IJCNN 2001 challenge: 14990 rows of 22 numbers, a tenth of the labels is 1.

    ``subset="whole"`` has all 49990 rows for training and validation.
    """
    return _dataset(_chosen(subset, validation="ijcnn1", whole="ijcnn1-whole"))


def fetch_news20() -> Dataset:
    """20 Newsgroups: how often each of 62061 words stands in 15935 messages; y is the group, 1 to 20."""
    return _dataset("news20")


def fetch_bigrams(subset: str = "train") -> Dataset:
    """20 Newsgroups with pairs of words: 926435 columns, the commonest first, of 11293 messages; y is 0 to 19.

    ``subset="test"`` has the 7528 later messages.  Only from the folder that PDPROX_DATA names: the file
    20newsgroups_bigrams.npz was made from the source, and cannot be downloaded.
    """
    return _dataset(_chosen(subset, train="bigrams", test="bigrams-test"))


def fetch_rcv1() -> Dataset:
    """Reuters news RCV1 with two classes: 20242 rows of length 1 and 47236 columns; for research use."""
    return _dataset("rcv1")


def fetch_rcv1_small(subset: str = "train") -> Dataset:
    """A small part of RCV1, 1000 rows, or 500 others with ``subset="test"``; not the rows of ``fetch_rcv1``.

    Only from the folder that PDPROX_DATA names.
    """
    return _dataset(_chosen(subset, train="rcv1-small", test="rcv1-small-test"))


def fetch_dorothea() -> Dataset:
    """Dorothea: which of 800 molecules bind to thrombin (78 do), from 88119 indicators.

    Of the 100000 columns of the source, those that are empty in these rows are left out.
    """
    return _dataset("dorothea")


def fetch_arcene() -> Dataset:
    """Arcene: which of 100 people have cancer (44 do), from mass spectra of 10000 integers; X is dense."""
    return _dataset("arcene")


def fetch_covtype() -> Dataset:
    """Forest cover: 581012 places, 10 measurements and 44 indicators; y is the type, 1 to 7.

    The usual two classes are type 2 against the rest: ``np.where(y == 2, 1, -1)``.  X is dense (250 MB), though
    most of it is 0.  The groups are the measurements, the wilderness areas and the types of soil.
    """
    return _dataset("covtype")


def fetch_cal_housing() -> Dataset:
    """California housing: the median value of houses (y, in dollars) in 20640 districts, from 8 numbers."""
    return _dataset("cal-housing")


def fetch_bardet() -> Dataset:
    """Bardet-Biedl syndrome: the expression of a gene (y) in 120 rats from 20 others, as splines of 5 columns.

    The groups are the genes.  Only from the folder that PDPROX_DATA names: the R package gglasso has the data in
    R's own format.

    References
    ----------
    Scheetz et al. (2006), Regulation of gene expression in the mammalian eye and its relevance to eye disease,
    PNAS 103.
    """
    return _dataset("bardet")


def fetch_school() -> Tasks:
    """School: exam scores (1 to 70) of 15362 students in 139 schools, from 28 integers, the last of which is 1.

    Each school is a task, with 22 to 251 students.
    """
    entry, parsed = fetched("school")
    y: Any = parsed.y
    return Tasks(parsed.X, y, *entry.listing.told)


def fetch_movielens_100k() -> Ratings:
    """MovieLens 100K: 100,000 ratings, 1 to 5, that 943 users gave 1682 movies.

    For research; not to be redistributed without separate permission, no commercial use.

    References
    ----------
    Harper and Konstan (2015), The MovieLens datasets: history and context, ACM TiiS 5.
    """
    entry, parsed = fetched("movielens-100k")
    return Ratings(parsed.X.row, parsed.X.col, parsed.y, parsed.X.shape, *entry.listing.told)


def fetch_diabetes() -> Dataset:
    """Diabetes: its progression in 442 patients (y) from 10 numbers, in the units of the source.

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani (2004), Least angle regression, Annals of Statistics 32.
    """
    return _dataset("diabetes")


def fetch_barro() -> Dataset:
    """Barro's data: how fast 161 economies grew (y), a country and a decade each, from 13 numbers.

    A classic of quantile regression.

    References
    ----------
    Koenker and Machado (1999), Goodness of fit and related inference processes for quantile regression,
    Journal of the American Statistical Association 94.
    """
    return _dataset("barro")


def fetch_splice_scale() -> Dataset:
    """Splice sites (Statlog): 1000 rows of 60 positions as numbers, half of them with a site; labels are 1 and -1."""
    return _dataset("splice-scale")


def fetch_colon_cancer() -> Dataset:
    """Colon cancer: 22 tumours and 40 normal tissues (labels 1 and -1), 2000 genes, standardised.

    References
    ----------
    Alon et al. (1999), Broad patterns of gene expression, PNAS 96.
    """
    return _dataset("colon-cancer")


def fetch_trim32() -> Dataset:
    """TRIM32: how active the gene is in 120 rats (y), from 500 probes.

    Only from the folder that PDPROX_DATA names: the R package abess has it in R's own format.

    References
    ----------
    Scheetz et al. (2006), Regulation of gene expression in the mammalian eye, PNAS 103.
    """
    return _dataset("trim32")


def fetch_bodyfat(target: str = "brozek") -> Dataset:
    """Body fat: the share of fat in 252 men (y), from 13 measures of the body; not from density, which y is made of.

    ``target="siri"`` has the formula of Siri instead of Brozek's.  Only from the folder that PDPROX_DATA names.

    References
    ----------
    Johnson (1996), Fitting percentage of body fat to simple body measurements, Journal of Statistics Education 4.
    """
    return _dataset(_chosen(target, "target", brozek="bodyfat-brozek", siri="bodyfat-siri"))


def fetch_memset_donor_sample() -> Dataset:
    """MEMset Donor, 400 of its 187,853 training sites: 200 true and 200 false human donor sites.

    7 positions around GT as the indicators of A, C and G (T has none); the groups are the positions.  X is dense.
    Only from the folder that PDPROX_DATA names: the R package grplasso has the sample in R's own format.

    References
    ----------
    Meier, van de Geer and Bühlmann (2008), The group lasso for logistic regression, JRSS B 70.
    """
    return _dataset("memset-donor-sample")


def fetch_celegans_donor() -> Dataset:
    """Donor sites of C. elegans: 8215 strong true sites among 172559 false ones, of the size of MEMset Donor.

    40 positions, 20 on either side of GT, as the indicators of A, C and G (T has none) in compressed sparse rows; the
    groups are the positions.  The 7 of MEMset are ``X[:, 51:72]``.  What the sets mean, and the species, is inferred
    from the data, and weakly used sites are left out.  Only from the folder that PDPROX_DATA names; its source has
    no licence, so keep to research use.
    """
    return _dataset("celegans-donor")


def fetch(name: str) -> Any:
    """The set that ``available`` lists under this name, whether it is loaded or fetched.

    Returns
    -------
    Dataset, Tasks or Ratings
    """
    calls = {listing.name: listing.call for listing in available()}
    if name not in calls:
        raise ValueError(f"unknown data set {name!r}; known: {', '.join(calls)}")
    function, argument = calls[name].removesuffix(")").split("(")
    makers: dict[str, Any] = {
        maker.__name__: maker for maker in (load_adult, load_engel, load_splice_junction)
    }
    maker = makers.get(function) or globals()[function]
    return maker(argument.strip('"')) if argument else maker()


def _chosen(subset: str, what: str = "subset", /, **names: str) -> str:
    if subset not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, got {subset!r}")
    return names[subset]


def _dataset(name: str) -> Dataset:
    entry, parsed = fetched(name)
    d = parsed.X.shape[1]
    names = entry.names or (parsed.names if len(parsed.names) == d else Numbered(d, parsed.names))
    groups = np.arange(d) if entry.groups is None else entry.groups.copy()
    return Dataset(parsed.X, parsed.y, groups, names, *entry.listing.told)
