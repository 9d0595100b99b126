"""20 Newsgroups with bigrams: computers, sales and science against the rest."""

import numpy as np
import scipy.sparse as sp
from benchmark_utils.data import SPARSE_SVM, SVM, Data, found, unit_rows


class Dataset(Data):
    """Rows of length 1."""

    name = "bigrams"
    title = "bigrams 11293x926435"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        z = np.load(found("20newsgroups_bigrams.npz"))
        parts = (z["train_counts"].astype(float), z["train_indices"], z["train_indptr"])
        X, y = sp.csr_array(parts, shape=(len(z["train_y"]), int(z["n_features"]))), z["train_y"]
        positive = ((y >= 1) & (y <= 6)) | ((y >= 11) & (y <= 14))
        return unit_rows(X), np.where(positive, 1.0, -1.0)
