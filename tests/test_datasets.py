"""The data sets: facts from their sources, and that they do what they are famous for.

Tests of what is fetched need the files: they are skipped unless PDPROX_DATA names a folder that has them.  Nothing
is downloaded.
"""

import inspect
import io
import sys
import tarfile
import zipfile
from importlib.resources import files

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes

import pdprox
from pdprox import datasets
from pdprox.datasets import (
    Dataset,
    Listing,
    Ratings,
    Tasks,
    available,
    data_folder,
    finding,
    indicators,
    load_adult,
    load_engel,
    load_splice_junction,
)
from pdprox.datasets.catalogue import ENTRIES, Entry
from pdprox.datasets.dataset import Numbered
from pdprox.datasets.libsvm import libsvm
from pdprox.datasets.tables import table

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


# what is fetched


def of_folder(name):
    """What the call in the listing returns, if the folder has the file."""
    (listing,) = (listing for listing in available() if listing.name == name)
    if listing.at_hand != "folder":
        pytest.skip("PDPROX_DATA names no folder that has the file")
    return eval(f"datasets.{listing.call}")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.listing.name)
def test_what_is_fetched_fits_together(entry):
    data, listing = of_folder(entry.listing.name), entry.listing
    assert (data.description, data.licence, data.source) == listing.told
    if isinstance(data, Dataset):
        n, d = listing.shape
        assert data.X.shape == (n, d) and data.y.shape == (n,) and data.groups.shape == (d,)
        assert data.X.dtype == data.y.dtype == np.float64
        assert len(data.feature_names) == d == len(set(data.feature_names))
        assert np.all(np.diff(data.groups) >= 0)
        if sp.issparse(data.X):
            assert isinstance(data.X, sp.csr_array) and data.X.indices.dtype == np.int32
        X, y = data
        assert X is data.X and y is data.y
        if entry.groups is not None:
            data.groups[:] = 0
            assert entry.groups.any()
    elif isinstance(data, Tasks):
        assert (len(data.X), sum(map(len, data.y)), data.X[0].shape[1]) == listing.shape
        assert all(X.shape == (len(y), listing.shape[2]) for X, y in zip(*data, strict=True))
    else:
        assert isinstance(data, Ratings) and data.shape == listing.shape


def test_a9a_is_adult():
    fetched, shipped = of_folder("a9a"), load_adult()
    np.testing.assert_array_equal((fetched.X != shipped.X).nnz, 0)
    np.testing.assert_array_equal(fetched.y, shipped.y)
    np.testing.assert_array_equal(fetched.groups, shipped.groups)


def test_news20_has_20_groups_of_nearly_one_size():
    data = of_folder("news20")
    groups, sizes = np.unique(data.y, return_counts=True)
    np.testing.assert_array_equal(groups, np.arange(1, 21))
    assert sizes.min() == 780 and sizes.max() == 800 and data.X.nnz == 1_272_569


def test_bigrams_are_sorted_by_how_many_messages_have_them():
    data = of_folder("bigrams")
    assert data.X.nnz == 4_027_442 and data.X.data.max() == 255
    messages = np.bincount(data.X.indices, minlength=data.X.shape[1])
    assert np.all(np.diff(messages) <= 0) and messages[-1] > 0
    assert data.feature_names[:3] == ["the", "to", "in"]
    np.testing.assert_array_equal(np.unique(data.y), np.arange(20))


@pytest.mark.parametrize(("name", "nnz"), [("rcv1-small", 77_739), ("rcv1-small-test", 39_448)])
def test_documents_of_rcv1_have_length_1(name, nnz):
    data = of_folder(name)
    assert data.X.nnz == nnz
    np.testing.assert_allclose(sp.linalg.norm(data.X, axis=1), 1, rtol=1e-5)


def test_dorothea_has_indicators_and_no_empty_column():
    data = of_folder("dorothea")
    assert data.X.nnz == 727_760 and set(np.unique(data.X.data)) == {1.0}
    assert np.bincount(data.X.indices, minlength=data.X.shape[1]).min() > 0


def test_every_place_has_one_kind_of_soil_and_lies_in_one_wilderness():
    data = of_folder("covtype")
    assert data.feature_names[0] == "Elevation"
    for group, name in ((10, "Wilderness_Area"), (11, "Soil_Type")):
        columns = np.flatnonzero(data.groups == group)
        assert all(data.feature_names[j].startswith(name) for j in columns)
        np.testing.assert_array_equal(data.X[:, columns].sum(axis=1), 1)


def test_california_is_where_it_is():
    data = of_folder("cal-housing")
    longitude, latitude = data.X[:, :2].T
    assert longitude.min() > -125 and longitude.max() < -114 and latitude.min() > 32 and latitude.max() < 42
    assert data.y.max() == 500_001  # values are cut there


def test_bardet_is_the_study():
    data = of_folder("bardet")
    assert np.all(np.bincount(data.groups) == 5) and len(set(data.groups)) == 20
    with np.load(data_folder() / "bardet.npz") as stored:
        np.testing.assert_array_equal(np.unique(stored["groups"], return_inverse=True)[1], data.groups)


def test_school_is_described_truly():
    data = of_folder("school")
    sizes = [len(y) for y in data.y]
    assert min(sizes) == 22 and max(sizes) == 251
    y = np.concatenate(data.y)
    assert y.min() == 1 and y.max() == 70
    assert all((X[:, -1] == 1).all() and np.array_equal(X, X.round()) for X in data.X)
    X, y = data
    assert X is data.X and y is data.y


def test_movielens_has_each_rating_once():
    rows, cols, ratings = of_folder("movielens-100k")
    assert len(ratings) == 100_000 and rows.min() == cols.min() == 0
    assert len(set(zip(rows.tolist(), cols.tolist(), strict=True))) == 100_000
    assert (rows[0], cols[0], ratings[0]) == (195, 241, 3)  # the first line of u.data: 196 242 3


def test_diabetes_is_that_of_scikit_learn():
    data = of_folder("diabetes")
    raw = load_diabetes(scaled=False)
    np.testing.assert_allclose(data.X, raw.data)
    np.testing.assert_array_equal(data.y, raw.target)
    assert list(data.feature_names) == raw.feature_names


def test_barro_begins_with_algeria():
    """As in the R package: the row Algeria75."""
    data = of_folder("barro")
    assert data.feature_names[:2] == ("lgdp2", "mse2")
    np.testing.assert_allclose([data.y[0], *data.X[0, :2]], [0.0415030398429979, 7.3304052118444, 0.132])


@pytest.mark.parametrize("name", ["memset-donor-sample", "celegans-donor"])
def test_donor_sites_show_the_consensus(name):
    """(C or A) A G | GT (A or G) A G T, in most of the true sites."""
    data = of_folder(name)
    X = sp.csc_array(data.X)
    share = {
        column: [(X[:, [j]].toarray()[data.y == label] == 1).mean() for label in (1, -1)]
        for j, column in enumerate(data.feature_names)
    }
    for place in ("G at -1", "G at 5"):
        true, false = share[place]
        assert true > 0.5 and false < 0.3


def test_columns_of_memset_among_those_of_the_worm():
    worm, human = of_folder("celegans-donor"), of_folder("memset-donor-sample")
    assert worm.feature_names[51:72] == human.feature_names


# the layouts of the sources are read as those of the folder are


def zipped(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{path.stem.upper()}/{name}", content)


def canonical(name, data, folder):
    """Write the data as its source has them."""
    if name == "arcene":
        lines = "\n".join(" ".join(map(str, row)) + " " for row in data.X.astype(int).tolist())
        labels = "\n".join(map(str, data.y.astype(int).tolist()))
        zipped(folder / "arcene.zip", **{"arcene_train.data": lines, "arcene_train.labels": labels})
    elif name == "dorothea":
        gaps = 1 + np.arange(data.X.shape[1]) * 9 // 8  # 88119 of 100000 columns are not empty
        lines = "\n".join(
            " ".join(map(str, gaps[data.X.indices[start:end]].tolist())) + " "
            for start, end in zip(data.X.indptr, data.X.indptr[1:], strict=False)
        )
        labels = "\n".join(map(str, data.y.astype(int).tolist()))
        zipped(folder / "dorothea.zip", **{"dorothea_train.data": lines, "dorothea_train.labels": labels})
    elif name == "movielens-100k":
        columns = (data.rows + 1, data.cols + 1, data.ratings.astype(int), 0 * data.rows)
        lines = "".join("\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
        zipped(folder / "ml-100k.zip", **{"u.data": lines, "u1.base": "1\t1\t1\t1\n"})
    elif name == "cal-housing":
        lines = io.BytesIO()
        np.savetxt(lines, np.column_stack([data.X, data.y]), fmt="%.6f", delimiter=",")
        with tarfile.open(folder / "cal_housing.tgz", "w:gz") as tar:
            member = tarfile.TarInfo("CaliforniaHousing/cal_housing.data")
            member.size = lines.tell()
            lines.seek(0)
            tar.addfile(member, lines)
    elif name == "diabetes":
        header = "\t".join([*data.feature_names, "Y"]).upper()
        lines = "\n".join("\t".join(map(repr, row)) for row in np.column_stack([data.X, data.y]).tolist())
        (folder / "diabetes.data").write_text(f"{header}\n{lines}\n")


@pytest.mark.parametrize("name", ["arcene", "dorothea", "movielens-100k", "cal-housing", "diabetes"])
def test_source_and_folder_hold_the_same(name, tmp_path, monkeypatch):
    before = of_folder(name)
    canonical(name, before, tmp_path)
    monkeypatch.setenv("PDPROX_DATA", str(tmp_path))
    for part, expected in zip(of_folder(name), before, strict=True):
        if sp.issparse(part):
            assert part.shape == expected.shape and (part != expected).nnz == 0
        else:
            np.testing.assert_array_equal(part, expected)


# the way of a file: folder, cache, source


TINY = "1 1:2 3:1\n-1 2:5\n"
LISTING = Listing("tiny", "fetch_tiny()", (2, 3), "Tiny. By hand. Licence: none.", "none", "by hand")


def entry(**changed):
    facts = {
        "listing": LISTING,
        "files": ("tiny.xz", "tiny"),
        "read": libsvm,
        "url": "https://example.org/tiny",
    }
    return Entry(**facts | {"counts": {1: 1, -1: 1}} | changed)


@pytest.fixture
def world(tmp_path, monkeypatch):
    """An empty folder, an empty cache, and a source that cannot be reached."""
    pooch = pytest.importorskip("pooch")
    (tmp_path / "folder").mkdir()
    (tmp_path / "cache").mkdir()
    asked = []

    def retrieve(url, known_hash, fname, path):
        asked.append((url, known_hash))
        if not (path / fname).exists():
            raise ConnectionError("no route")
        return str(path / fname)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache")
    monkeypatch.setenv("PDPROX_DATA", str(tmp_path / "folder"))
    monkeypatch.setattr(finding, "ENTRIES", (entry(),))
    monkeypatch.setattr(finding, "_ENTRIES", {"tiny": entry()})
    return tmp_path, asked


def at_hand():
    return available()[-1].at_hand


def test_folder_before_cache_before_source(world):
    folder, asked = world
    assert at_hand() is None
    with pytest.raises(
        OSError, match=r"tiny cannot be downloaded .*get it from https://example.org/tiny"
    ) as raised:
        finding.fetched("tiny")
    assert "PDPROX_DATA" in str(raised.value) and str(raised.value).count(". ") == 0
    assert asked == [("https://example.org/tiny", None)]

    (folder / "cache" / "tiny").write_text(TINY)
    assert at_hand() == "cache"
    assert finding.fetched("tiny")[1].y.tolist() == [1, -1]

    (folder / "folder" / "tiny").write_text(TINY.replace("2:5", "2:6"))
    asked.clear()
    assert at_hand() == "folder"
    assert finding.fetched("tiny")[1].X.max() == 6
    assert not asked


def test_known_checksums_are_asked_for(world, monkeypatch):
    _, asked = world
    monkeypatch.setattr(finding, "_ENTRIES", {"tiny": entry(sha256="abc")})
    with pytest.raises(OSError, match="cannot be downloaded"):
        finding.fetched("tiny")
    assert asked == [("https://example.org/tiny", "abc")]
    for known in ENTRIES:
        assert known.sha256 is None or (known.url and len(known.sha256) == 64)


def test_download_without_pooch_says_what_to_install(world, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'pip install "pdprox\[data\]"'):
        finding.fetched("tiny")
    assert at_hand() is None


def test_files_without_an_address_say_so(world):
    _, asked = world
    homeless = {known.listing.name: known for known in ENTRIES if known.url is None}
    assert "bigrams" in homeless
    for known in homeless.values():
        finding._ENTRIES[known.listing.name] = known
        with pytest.raises(
            FileNotFoundError, match=r"no address to download it from .*PDPROX_DATA"
        ) as raised:
            finding.fetched(known.listing.name)
        assert known.files[-1] in str(raised.value)
    assert not asked


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TINY + "1 1:1\n", "2 x 3 with 1 of class -1, 1 of class 1 expected, 3 x 3 with .* found"),
        (TINY.replace("-1", "1"), "expected, 2 x 3 with 2 of class 1 found"),
        ("<html>not found</html>\n", "line 1: label '<html>not' is not a finite number"),
        ("", "it is empty"),
    ],
)
@pytest.mark.parametrize(
    ("place", "way_out"), [("folder", "replace it"), ("cache", "delete it, and it is downloaded")]
)
def test_what_is_not_the_set_is_not_returned(world, content, message, place, way_out):
    path = world[0] / place / "tiny"
    path.write_text(content)
    with pytest.raises(ValueError, match=message) as raised:
        finding.fetched("tiny")
    assert str(path) in str(raised.value) and way_out in str(raised.value)


@pytest.mark.parametrize("known", ENTRIES, ids=lambda known: known.listing.name)
def test_no_set_is_made_of_rubbish(known, world, monkeypatch):
    """A file of the right name and the wrong content is told from the set, whatever reads it."""
    folder, _ = world
    monkeypatch.setattr(finding, "_ENTRIES", {known.listing.name: known})
    for file in known.files:
        path = folder / "folder" / file
        for content in (
            b"",
            b"<!DOCTYPE html>\n<p>Not here, 1,2\n",
            b"\xfd7zXZ\x00 and no more",
            b"PK\x03\x04 no more",
        ):
            path.write_bytes(content)
            with pytest.raises(ValueError, match=f"does not hold {known.listing.name}"):
                finding.fetched(known.listing.name)
        path.unlink()


def test_subsets_are_named():
    with pytest.raises(ValueError, match="subset must be one of train, test, got 'valid'"):
        datasets.fetch_a9a("valid")


def test_every_set_can_be_had_by_its_name(monkeypatch):
    """The name leads to the function, with the part that is meant."""
    asked = []
    for name in (name for name in datasets.__all__ if name.startswith("fetch_")):
        monkeypatch.setattr(
            f"pdprox.datasets.fetching.{name}", lambda *given, name=name: asked.append((name, *given))
        )
    for listing in available():
        datasets.fetch(listing.name)
    told = [f"{name}({', '.join(repr(one) for one in given)})".replace("'", '"') for name, *given in asked]
    assert told == [listing.call for listing in available() if listing.call.startswith("fetch_")]
    with pytest.raises(ValueError, match="unknown data set 'moon'; known: adult"):
        datasets.fetch("moon")


def test_the_list_is_complete():
    """Every load and fetch is listed with a call that is right, and every set has a source and a licence."""
    listed = available()
    functions = {name for name in datasets.__all__ if name.startswith(("load_", "fetch_"))}
    assert {listing.call.split("(")[0] for listing in listed} == functions
    assert (
        len({listing.name for listing in listed}) == len({listing.call for listing in listed}) == len(listed)
    )
    for listing in listed:
        inspect.signature(getattr(datasets, listing.call.split("(")[0]))
        assert listing.source and listing.licence and listing.licence.lower() in listing.description.lower()
    assert [listing.at_hand for listing in listed[:3]] == ["package"] * 3


@pytest.mark.parametrize("load", LOADERS)
def test_the_list_knows_the_shapes_of_what_is_shipped(load):
    (listing,) = (listing for listing in available() if listing.call == f"{load.__name__}()")
    assert listing.shape == load().X.shape and listing.told[0] == load().description


def test_names_are_made_when_they_are_asked_for():
    names = Numbered(5, ("the", "to"))
    assert list(names) == ["the", "to", "feature 3", "feature 4", "feature 5"]
    assert names[-1] == "feature 5" and names[1:3] == ["to", "feature 3"] and "the" in names
    with pytest.raises(IndexError):
        names[5]


def test_tables_in_archives(tmp_path):
    zipped(tmp_path / "a.zip", **{"a.data": "1,2\n3,4\n", "b.data": "5,6\n"})
    np.testing.assert_array_equal(table(tmp_path / "a.zip", member="b.data").X, [[5]])
    with pytest.raises(ValueError, match=r"0 members named c.data; it has A/a.data, A/b.data"):
        table(tmp_path / "a.zip", member="c.data")
