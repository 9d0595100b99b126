// X' diag(h) X over some rows, in one thread: dense rows by packed panels, sparse rows by their pairs of entries.
#pragma once

#include "csr.hpp"
#include "pack.hpp"
#include "rows.hpp"

namespace {

using pdprox::Index;

// Tiles of H have `tall` rows and `wide` columns, which is what fits into registers.
constexpr int wide = 2 * W;
constexpr int tall = W >= 8 ? 8 : 4;

// A block of rows, repacked so that the loop over rows reads memory in order: for each panel of `wide` columns all
// rows, then the next panel.  `weighted` is the same with every row times its h.
struct Panels {
  const double *plain, *weighted;
  Index rows, d;
};

// How many doubles the panels of a block take, twice; and how many rows a block has: it should stay in the cache.
inline Index padded(Index d) { return (d + wide - 1) / wide * wide; }
inline Index block_rows(Index d) {
  const Index fitting = (Index(1) << 15) / (d > 0 ? padded(d) : 1);
  return fitting < 16 ? 16 : fitting > 512 ? 512 : fitting;
}

// One tile of H: rows i..i+tall-1 and the columns of a panel.  The last columns of H may lie outside.
inline void add_tile(const Panels& p, Index i, Index panel, double* H) {
  Pack sum[tall][2];
  for (int r = 0; r < tall; r++) sum[r][0] = sum[r][1] = zero();
  const double* right = p.plain + panel * wide * p.rows;
  const double* left = p.weighted + i / wide * wide * p.rows + i % wide;
  for (Index k = 0; k < p.rows; k++) {
    const Pack a = load(right + k * wide), b = load(right + k * wide + W);
    for (int r = 0; r < tall; r++) {
      const Pack weight = spread(left[k * wide + r]);
      sum[r][0] = fma(weight, a, sum[r][0]);
      sum[r][1] = fma(weight, b, sum[r][1]);
    }
  }
  double buffer[wide];
  const Index column = panel * wide, columns = p.d - column < wide ? p.d - column : wide;
  for (int r = 0; r < tall && i + r < p.d; r++) {
    double* row = H + (i + r) * p.d + column;
    store(buffer, sum[r][0]);
    store(buffer + W, sum[r][1]);
    for (Index j = 0; j < columns; j++) row[j] += buffer[j];
  }
}

// Adds to the tiles of H that meet its lower triangle.
inline void add_block(const Panels& p, double* H) {
  for (Index panel = 0; panel * wide < p.d; panel++)
    for (Index i = panel * wide; i < p.d; i += tall) add_tile(p, i, panel, H);
}

// Packs one panel's share of a row; entry(j) is the row's j-th entry there.
template <class Entry>
inline void pack_row(Entry entry, Index columns, double h, double* plain, double* weighted, double* mixed) {
  for (Index j = 0; j < columns; j++) {
    const double value = static_cast<double>(entry(j));
    plain[j] = value, weighted[j] = h * value;
    mixed[j] += h * value;
  }
  for (Index j = columns; j < wide; j++) plain[j] = weighted[j] = 0.0;
}

// `scratch` holds 2 * block_rows(width) * padded(width) doubles.
template <class T>
void add_dense_curvature(const pdprox::Matrix& X, const pdprox::Chosen& of, const double* h, double* H,
                         double* mixed, double* scratch) {
  const T* x = static_cast<const T*>(X.values);
  const bool by_row = X.layout == pdprox::Layout::c_order;
  const Index d = of.width, block = block_rows(d), row_stride = by_row ? X.d : 1, stride = by_row ? 1 : X.n;
  double *plain = scratch, *weighted = scratch + block * padded(d);
  for (Index start = 0; start < of.count; start += block) {
    const Index m = of.count - start < block ? of.count - start : block;
    for (Index column = 0; column < d; column += wide) {
      const Index columns = d - column < wide ? d - column : wide;
      double* sums = mixed + column;
      for (Index k = 0; k < m; k++) {
        const Index i = of.rows[start + k], at = column * m + k * wide;
        const T* row = x + i * row_stride;
        double *here = plain + at, *here_weighted = weighted + at;
        if (of.columns)
          pack_row([&](Index j) { return row[of.columns[column + j] * stride]; }, columns, h[i], here,
                   here_weighted, sums);
        else if (by_row && columns == wide)
          pack_row([&](Index j) { return row[column + j]; }, wide, h[i], here, here_weighted, sums);
        else
          pack_row([&](Index j) { return row[(column + j) * stride]; }, columns, h[i], here, here_weighted,
                   sums);
      }
    }
    add_block({plain, weighted, m, d}, H);
  }
}

template <class T, class I, class P>
void add_sparse_curvature(const pdprox::Matrix& X, const pdprox::Chosen& of, const double* h, double* H,
                          double* mixed, double* scratch) {
  const T* x = static_cast<const T*>(X.values);
  const I* index = static_cast<const I*>(X.indices);
  const P* start = static_cast<const P*>(X.indptr);
  // the entries of a row in the chosen columns
  double* value = scratch;
  Index* place = reinterpret_cast<Index*>(scratch + of.width);
  for (Index r = 0; r < of.count; r++) {
    const Index i = of.rows[r];
    Index found = 0;
    for (Index k = start[i], end = start[i + 1]; k < end; k++) {
      const Index j = of.places ? of.places[index[k]] : static_cast<Index>(index[k]);
      if (j < 0) continue;
      value[found] = double(x[k]), place[found] = j;
      found++;
    }
    for (Index k = 0; k < found; k++) {
      const double hx = h[i] * value[k];
      mixed[place[k]] += hx;
      double* row = H + place[k] * of.width;
      for (Index l = 0; l <= k; l++) row[place[l]] += hx * value[l];
    }
  }
}

}  // namespace
