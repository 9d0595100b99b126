"""The shipped data: facts from their sources, and that they do what they are famous for."""

from importlib.resources import files

import numpy as np
import pytest
import scipy.sparse as sp

import pdprox
from pdprox.datasets import data_folder, indicators, load_adult, load_engel, load_splice_junction

LOADERS = (load_adult, load_splice_junction, load_engel)


@pytest.mark.parametrize("load", LOADERS)
def test_parts_fit_together_and_make_a_problem(load):
    data = load()
    n, d = data.X.shape
    assert data.y.shape == (n,) and data.groups.shape == (d,) and len(data.feature_names) == d
    assert data.X.dtype == data.y.dtype == np.float64
    assert len(set(data.feature_names)) == d
    X, y = data
    assert X is data.X and y is data.y
    loss = "hinge" if set(np.unique(y)) == {-1.0, 1.0} else "absolute"
    pdprox.Problem(X, y, loss=loss, penalty=pdprox.penalties.GroupLasso(data.groups), lam=1.0)


@pytest.mark.parametrize("load", [load_adult, load_splice_junction])
def test_columns_of_a_group_are_indicators_that_exclude_each_other(load):
    data = load()
    X = sp.csr_array(data.X)
    assert set(np.unique(X.data)) == {1.0}
    in_group = X @ sp.csr_array((np.ones(X.shape[1]), (np.arange(X.shape[1]), data.groups)))
    assert in_group.max() == 1
    assert np.all(np.diff(data.groups) >= 0)


def test_adult_is_a9a():
    """LIBSVM: 32561 rows, 123 columns.  UCI: 7841 rows above 50K, and what is missing in three attributes."""
    data = load_adult()
    assert isinstance(data.X, sp.csr_array) and data.X.shape == (32561, 123)
    assert np.count_nonzero(data.y == 1) == 7841
    present = {name.rsplit(" ", 1)[0]: 0 for name in data.feature_names}
    for name, count in zip(data.feature_names, data.X.sum(axis=0), strict=True):
        present[name.rsplit(" ", 1)[0]] += int(count)
    missing = {name: 32561 - count for name, count in present.items() if count != 32561}
    assert missing == {"workclass": 1836, "occupation": 1843, "native-country": 583}
    men_and_women = sorted(
        int(count)
        for name, count in zip(data.feature_names, data.X.sum(axis=0), strict=True)
        if name.startswith("sex")
    )
    assert men_and_women == [10771, 21790]


def test_splice_junctions_show_the_consensus():
    """Nearly always an intron ends in AG (at positions 29 and 30) or begins with GT (at 31 and 32)."""
    data = load_splice_junction()
    assert data.X.shape == (3186, 180)
    assert np.count_nonzero(data.y == 1) == 767 + 765
    column = {name: data.X[:, j] == 1 for j, name in enumerate(data.feature_names)}
    thymine_at_32 = ~(column["A at 32"] | column["C at 32"] | column["G at 32"])
    acceptor = column["A at 29"] & column["G at 30"]
    donor = column["G at 31"] & thymine_at_32
    consensus = acceptor | donor
    assert consensus[data.y == 1].mean() > 0.98
    assert consensus[data.y == -1].mean() < 0.25  # two chances of 1 in 16 would make 0.12


def test_engel_gives_the_published_median_regression():
    """Koenker and Bassett: food expenditure = 81.4822 + 0.5602 income at the median."""
    X, y = load_engel()
    assert X.shape == (235, 1)
    solution = pdprox.solve(pdprox.Problem(X, y, loss="pinball", lam=0), tol=1e-9)
    np.testing.assert_allclose([solution.intercept, solution.w[0]], [81.4822, 0.5602], rtol=1e-4)


def test_loaded_arrays_are_the_callers_own():
    load_engel().X[:] = 0
    load_engel().y[:] = 0
    assert load_engel().X.min() > 0 and load_engel().y.min() > 0


def test_codes_become_indicator_columns():
    codes = np.array([[1, 0], [2, 3], [0, 1]], dtype=np.uint8)
    expected = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 1], [0, 0, 1, 0, 0]]
    np.testing.assert_array_equal(indicators(codes, [2, 3]).toarray(), expected)


def test_every_shipped_file_has_a_source_and_a_licence():
    folder = files("pdprox") / "data"
    shipped = sorted(file.name for file in folder.iterdir() if file.name.endswith(".npz"))
    assert shipped == ["adult.npz", "engel.npz", "splice_junction.npz"]
    rows = [line for line in (folder / "README.md").read_text().splitlines() if line.startswith("| `")]
    for name in shipped:
        (row,) = (line for line in rows if f"`{name}`" in line)
        assert "CC BY 4.0" in row or "public domain" in row


def test_data_folder_is_what_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.delenv("PDPROX_DATA", raising=False)
    assert data_folder() is None
    monkeypatch.setenv("PDPROX_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.setenv("PDPROX_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        data_folder()
