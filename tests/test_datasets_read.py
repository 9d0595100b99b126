"""Files of one's own: what is in them comes out, and what is wrong in them is named with its place."""

import bz2
import gzip
import lzma
import re
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import pdprox
from pdprox.datasets import Dataset, read

X = np.array([[0.5, 0.0, -2.0], [0.0, 0.0, 3.25], [1e-3, 7.0, 0.0], [4.0, -1.0, 0.0]])
Y = np.array([1.0, -1.0, -1.0, 1.0])
CLASSES = np.array(["setosa", "virginica", "setosa", "iris, other"])
COMPRESSED = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def write(path, text, compressed=open):
    with compressed(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def dense(data):
    return data.X.toarray() if sp.issparse(data.X) else data.X


def rows(delimiter, y=Y, at=3, header=None, end="\n"):
    """A table of X with the target as the column ``at``."""
    lines = [] if header is None else [delimiter.join(header)]
    for x, target in zip(X, y, strict=True):
        row = [repr(float(value)) for value in x]
        row.insert(at, f'"{target}"' if isinstance(target, str) else repr(float(target)))
        lines.append(delimiter.join(row))
    return end.join(lines) + end


# what is in them comes out


@pytest.mark.parametrize("suffix", COMPRESSED)
@pytest.mark.parametrize("name", ["data.svm", "data.libsvm", "data.txt", "data.t", "data", "DATA.SVM"])
def test_libsvm_text_under_any_name(tmp_path, name, suffix):
    plain = tmp_path / "plain"
    dump_svmlight_file(X, Y, str(plain), zero_based=False)
    data = read(write(tmp_path / (name + suffix), plain.read_bytes(), COMPRESSED[suffix]))
    assert isinstance(data, Dataset) and isinstance(data.X, sp.csr_array)
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int32
    np.testing.assert_array_equal(data.X.toarray(), X)
    np.testing.assert_array_equal(data.y, Y)
    assert list(data.feature_names) == ["feature 1", "feature 2", "feature 3"]
    np.testing.assert_array_equal(data.groups, [0, 1, 2])


def test_libsvm_text_has_comments_empty_rows_and_queries(tmp_path):
    data = read(write(tmp_path / "a.svm", "# made by hand\n1 qid:3 2:0.5 # a row\n\n-1\n"), n_features=4)
    np.testing.assert_array_equal(data.X.toarray(), [[0, 0.5, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(data.y, [1, -1])


@pytest.mark.parametrize("suffix", COMPRESSED)
@pytest.mark.parametrize(
    ("name", "delimiter"),
    [
        ("a.csv", ","),
        ("a.csv", ";"),
        ("a.tsv", "\t"),
        ("a.txt", "  "),
        ("a.dat", ","),
        ("a", "\t"),
        ("a.tab", "\t"),
    ],
)
@pytest.mark.parametrize("header", [None, ["height", '"my width"', "depth", "y"]])
def test_tables_under_any_name(tmp_path, name, delimiter, suffix, header):
    if header and delimiter == "  ":
        header = ["height", "width", "depth", "y"]
    path = write(tmp_path / (name + suffix), rows(delimiter, header=header), COMPRESSED[suffix])
    data = read(path)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, Y)
    assert data.X.flags.c_contiguous and data.X.dtype == data.y.dtype == np.float64
    expected = [name.strip('"') for name in header[:3]] if header else ["feature 1", "feature 2", "feature 3"]
    assert list(data.feature_names) == expected


@pytest.mark.parametrize("y", [Y, CLASSES], ids=["numbers", "classes"])
@pytest.mark.parametrize(
    ("at", "targets"), [(0, (0, -4, "y")), (1, (1, np.int64(-3), "y")), (3, (None, 3, -1, "y"))]
)
def test_target_by_name_or_number(tmp_path, y, at, targets):
    names = ["p", "q", "r"]
    names.insert(at, "y")
    path = write(tmp_path / "a.csv", rows(",", y, at, names))
    for target in targets:
        data = read(path, target=target)
        np.testing.assert_array_equal(data.X, X)
        np.testing.assert_array_equal(data.y, y)
        assert list(data.feature_names) == ["p", "q", "r"]


def test_classes_without_a_header(tmp_path):
    data = read(write(tmp_path / "a.csv", rows(",", CLASSES)))
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, CLASSES)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_blank_lines_and_ends_of_windows(tmp_path, end):
    text = "\ufeff" + end + rows(",", header=["a", "b", "c", "y"], end=end) + end
    data = read(write(tmp_path / "a.csv", text))
    np.testing.assert_array_equal(data.X, X)
    assert data.feature_names[0] == "a"


def test_named_format_wins(tmp_path):
    path = write(tmp_path / "a.svm", rows(","))
    np.testing.assert_array_equal(read(path, format="csv").X, X)


@pytest.mark.parametrize("y", [Y, CLASSES, np.stack([Y, Y], axis=1)], ids=["numbers", "classes", "two"])
def test_npz(tmp_path, y):
    np.savez(tmp_path / "a.npz", X=X, y=y)
    data = read(tmp_path / "a.npz")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    np.savez_compressed(tmp_path / "b", X=X, labels=y, feature_names=["a", "b", "c"])
    named = read(tmp_path / "b.npz", target="labels")
    np.testing.assert_array_equal(named.y, y)
    assert list(named.feature_names) == ["a", "b", "c"]


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_npz_of_a_sparse_matrix(tmp_path, form):
    S = sp.coo_array(X).asformat(form)
    sp.save_npz(tmp_path / "S.npz", S)
    with np.load(tmp_path / "S.npz") as parts:
        np.savez(tmp_path / "a.npz", y=Y, **parts)
    data = read(tmp_path / "a.npz")
    assert isinstance(data.X, sp.csr_array)
    np.testing.assert_array_equal(data.X.toarray(), X)


@pytest.mark.parametrize("y", [Y, CLASSES], ids=["numbers", "classes"])
def test_parquet(tmp_path, y):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=["r1", "r2", "r3", "r4"])
    frame["count"], frame["yes"] = np.arange(4, dtype=np.int8), [True, False, True, True]
    frame["y"] = y
    expected = np.column_stack([X, np.arange(4), [1, 0, 1, 1]])
    for frame_as_stored in (frame, frame.astype({"y": "category"})):
        frame_as_stored.to_parquet(tmp_path / "a.parquet")
        for target in (None, "y", -1, 5):
            data = read(tmp_path / "a.parquet", target=target)
            np.testing.assert_array_equal(data.X, expected)
            np.testing.assert_array_equal(data.y, y)
            assert list(data.feature_names) == ["a", "b", "c", "count", "yes"]


def test_what_is_read_makes_a_problem(tmp_path):
    path = tmp_path / "a.svm"
    dump_svmlight_file(X, Y, str(path), zero_based=False)
    solution = pdprox.solve(pdprox.Problem(*read(path), loss="hinge", penalty="l1", lam=0.1), tol=1e-6)
    assert solution.status == "converged"


# what is wrong in them is named with its place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n-1 0:3 2:1\n", "line 2: index 0 in '0:3'; indices count from 1"),
        ("1 1:2\n-1 3:3 2:1\n", "line 2: index 2 follows 3; indices must ascend"),
        ("1 1:2\n\n-1 2:3 2:1\n", "line 3: index 2 follows 2"),
        ("1 1:2\n1 1:2\n-1 2:nan\n", "line 3: index 2 holds nan; impute or drop"),
        ("1 1:2\n-1 2:inf\n", "line 2: index 2 holds inf"),
        ("1 1:2\n-1 2:x\n", "line 2: '2:x' is not index:value"),
        ("1 1:2\n-1 -2:1\n", "line 2: '-2:1' is not index:value"),
        ("1 1:2\n-1 2\n", "line 2: '2' is not index:value"),
        ("spam 1:2\n", "line 1: label 'spam' is not a finite number"),
        ("1 1:2\n1,2 1:2\n", "line 2: label '1,2' is not a finite number"),
        ("1 1:2\nnan 1:2\n", "line 2: label 'nan' is not a finite number"),
        ("# nothing\n\n", "holds no rows"),
    ],
)
def test_mistakes_in_libsvm_text(tmp_path, text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        read(write(tmp_path / "wrong.svm", text))
    assert "wrong.svm" in str(raised.value)


def test_fewer_features_than_there_are(tmp_path):
    path = write(tmp_path / "a.svm", "1 1:2\n-1 4:1\n")
    with pytest.raises(ValueError, match="line 2: index 4 is larger than n_features=3"):
        read(path, n_features=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,y\n1,2,3\n\n4,5\n", "line 4: 2 cells, where the first row has 3"),
        ("a,b,y\n1,2,3\n4,5,6,7\n", "line 3: 4 cells, where the first row has 3"),
        ("a,b,y\n1,2,u\n4,5,v,7\n", "line 3: 4 cells, where the first row has 3"),
        ("1,2,3\n4,five,6\n", "line 2, column 2: 'five' is not a number"),
        ("a,b,y\n1,2,3\n4,five,6\n", "line 3, column 2 (b): 'five' is not a number"),
        ("a,b,y\n1,2,3\n4,,6\n", "line 3, column 2 (b): the cell is empty; impute or drop"),
        ("a,b,y\n1,2,3\n4,nan,6\n", "line 3, column 2 (b): the cell holds nan; impute or drop"),
        ("a,b,y\n1,2,3\n-inf,5,6\n", "line 3, column 1 (a): the cell holds -inf"),
        ("a,b,y\n1,2,3\n4,5,nan\n", "line 3, column 3 (y): the cell holds nan"),
        ("a,b,y\n1,2,3\n4,5,\n", "line 3, column 3 (y): the cell is empty"),
        ("a,b,y\n1,2,3\n4,5,six\n", "line 3, column 3 (y): 'six' is not a number; other targets are numbers"),
        ("a,b,y\n1,2,yes\n4,5,\n", "line 3, column 3 (y): the cell is empty"),
        ("0,1,y\n1,2,3\n", "line 1, column 3: 'y' is not a number; other targets are numbers"),
        ("a,b,y\n", "has a header and no rows"),
        ("1\n2\n", "has one column"),
        ("\n\n", "holds no rows"),
        (b"a,b,y\n1,2,\xff\n", "is damaged: 'utf-8' codec can't decode"),
    ],
)
def test_mistakes_in_tables(tmp_path, text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        read(write(tmp_path / "wrong.csv", text))
    assert "wrong.csv" in str(raised.value)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("z", "has no column named 'z'; it has a, b, y"),
        (3, "target is column 3, and .* has 3 columns, counted from 0"),
        (-4, "target is column -4"),
    ],
)
def test_no_such_target(tmp_path, target, message):
    with pytest.raises(ValueError, match=message):
        read(write(tmp_path / "a.csv", "a,b,y\n1,2,3\n"), target=target)


def test_target_twice(tmp_path):
    with pytest.raises(ValueError, match="more than one column named 'b'"):
        read(write(tmp_path / "a.csv", "a,b,b\n1,2,3\n"), target="b")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": Y}, "must hold X .* and y; it holds y"),
        ({"X": X}, "must hold X .* and y; it holds X"),
        ({"X": X, "y": Y[:3]}, r"got \(4, 3\) and \(3,\)"),
        ({"X": X[0], "y": Y[:3]}, r"X must be n x d"),
        ({"X": np.where(X == 7, np.nan, X), "y": Y}, "X holds nan at 2, 1, counted from 0"),
        ({"X": X, "y": np.array([1, np.inf, 1, 1])}, "y holds inf at 1, counted from 0"),
        ({"X": X.astype(str), "y": Y}, "X is of type <U32; encode it as numbers"),
        ({"X": X.astype(object), "y": Y}, "cannot be read as npz: Object arrays cannot be loaded"),
        ({"indptr": [0, 1], "indices": [0], "y": Y}, "must hold X"),
        ({"X": X, "y": Y, "feature_names": ["a"]}, "1 feature_names for 3 columns"),
    ],
)
def test_mistakes_in_npz(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "a.npz")


def test_sparse_formats_that_are_not_rows_or_columns(tmp_path):
    parts = {"data": X[:1], "indices": [0], "indptr": [0, 1], "shape": X.shape, "format": b"bsr", "y": Y}
    np.savez(tmp_path / "a.npz", **parts)
    with pytest.raises(ValueError, match="the format 'bsr'; store it as csr or csc"):
        read(tmp_path / "a.npz")


def test_mistakes_in_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    path = tmp_path / "a.parquet"
    for column, message in (
        (["x", "y"], "column b is of type object; encode it"),
        ([1.0, None], "column b: 1 cells are empty"),
        ([1.0, np.inf], "column b holds inf at 1"),
    ):
        pd.DataFrame({"a": [1.0, 2.0], "b": column, "y": [1, 2]}).to_parquet(path)
        with pytest.raises(ValueError, match=message):
            read(path)
    with pytest.raises(ValueError, match="no column named 'z'"):
        read(path, target="z")
    write(path, b"PAR1 and then nothing")
    with pytest.raises(ValueError, match="cannot be read as parquet"):
        read(path)


def test_parquet_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "pdprox\[parquet\]"'):
        read(write(tmp_path / "a.parquet", b"PAR1"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_files_that_are_cut_off(tmp_path, suffix):
    rng = np.random.default_rng(0)
    text = "".join(f"{a!r},{b!r}\n" for a, b in rng.standard_normal((2000, 2)).tolist())
    path = write(tmp_path / f"a.csv{suffix}", text, COMPRESSED[suffix])
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ValueError, match=f"a.csv{suffix} is damaged"):
        read(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_files_that_are_garbled(tmp_path, suffix):
    path = write(tmp_path / f"a.svm{suffix}", "1 1:2\n" * 5000, COMPRESSED[suffix])
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"a.svm{suffix}"):
        read(path)


def test_no_file_no_content_no_format(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere.csv"):
        read(tmp_path / "nowhere.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(ValueError, match=r"empty.csv is empty"):
        read(write(tmp_path / "empty.csv", ""))
    for content in ("1\n2\n", b"\x89PNG\r\n\x1a\n\x00\x00 \x00 "):
        with pytest.raises(ValueError, match=r"the format of .* does not show; say format="):
            read(write(tmp_path / "thing", content))
    with pytest.raises(ValueError, match="is not an npz file"):
        read(write(tmp_path / "a.npz", b"PK but not really"))


def test_options_that_do_not_fit(tmp_path):
    svm, csv = write(tmp_path / "a.svm", "1 1:2\n"), write(tmp_path / "a.csv", "1,2\n")
    with pytest.raises(ValueError, match="format must be one of libsvm, csv, tsv, npz, parquet, got 'xls'"):
        read(csv, format="xls")
    with pytest.raises(ValueError, match="n_features=3 is for LIBSVM text"):
        read(csv, n_features=3)
    with pytest.raises(ValueError, match="label begins the line"):
        read(svm, target=0)
    np.savez(tmp_path / "a.npz", X=X, y=Y)
    with pytest.raises(ValueError, match="arrays in npz have names"):
        read(tmp_path / "a.npz", target=-1)
