// Rows of a CSR matrix.  Indices are trusted: the caller has checked them once.
#pragma once

#include <cstdint>

#include "rows.hpp"

namespace {

using pdprox::Index;

template <class T, class I, class P> class SparseRows {
 public:
  explicit SparseRows(const pdprox::Matrix& X)
      : x_(static_cast<const T*>(X.values)),
        index_(static_cast<const I*>(X.indices)),
        start_(static_cast<const P*>(X.indptr)) {}

  // A few rows, so that the second use finds them in cache and their dual steps go together.
  template <bool> Index panel() const { return 8; }

  template <bool> void multiply(Index i, Index m, const double* w, double* z) const {
    for (Index r = 0; r < m; r++) {
      double total[4] = {0.0, 0.0, 0.0, 0.0};
      Index k = start_[i + r], end = start_[i + r + 1];
      for (; k + 4 <= end; k += 4)
        for (int u = 0; u < 4; u++) total[u] += double(x_[k + u]) * w[index_[k + u]];
      for (; k < end; k++) total[0] += double(x_[k]) * w[index_[k]];
      z[r] = (total[0] + total[1]) + (total[2] + total[3]);
    }
  }

  template <bool> void add(Index i, Index m, const double* theta, double* g) const {
    for (Index r = 0; r < m; r++) {
      if (theta[r] == 0.0) continue;  // most rows of a hinge that fits well
      for (Index k = start_[i + r], end = start_[i + r + 1]; k < end; k++)
        g[index_[k]] += theta[r] * double(x_[k]);
    }
  }

 private:
  const T* x_;
  const I* index_;
  const P* start_;
};

}  // namespace
