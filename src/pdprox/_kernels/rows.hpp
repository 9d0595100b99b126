// What the kernels do to a range of rows, in one thread.
#pragma once

#include <cstddef>

namespace pdprox {

using Index = std::ptrdiff_t;

enum class Layout { c_order, f_order, csr };

struct Matrix {
  Layout layout;
  bool single;         // values are float32, else float64
  const void* values;  // contiguous
  bool wide_indices;   // CSR: int64, else int32
  bool wide_indptr;
  const void* indices;
  const void* indptr;
  Index n, d;
};

struct Line {
  const double* kinks;
  const double* slopes;
  Index n_kinks;
  double smoothing;
  bool margin;
};

struct Sweep {
  const double* w;
  double b;
  const double *alpha, *y, *c;
  Line line;
  const double* step;
  Index step_stride;  // 0: one step for all rows
  double* out;
  const double* anchor;  // Halpern step, only when next is not null
  double f;
  double* next;
};

struct Sums {
  double gb, moved;
};

// The augmented losses of rows with predictions z around the dual variables alpha.
struct Around {
  const double *z, *y, *alpha, *c;
  Line line;
  double step;
};

// Rows and columns of X; `columns` ascend, `places` tells where each column of X is among them, or -1.  Without
// them: all columns.
struct Chosen {
  const Index* rows;
  Index count;
  const Index* columns;
  const Index* places;
  Index width;
};

struct Derivatives {
  double first, second;
};

// The rows of the state of pairs, 14 of m numbers.
struct PairState {
  double* rows;
  Index m;
};

// How fast the values of both sides run towards 0: the reciprocals of the longest steps.
struct Limits {
  double primal, dual;
};

// Each function reads rows lo..hi-1 and nothing else; g is added to, not overwritten.
struct RowKernels {
  const char* name;
  Sums (*sweep)(const Matrix&, const Sweep&, Index lo, Index hi, double* g);
  void (*forward)(const Matrix&, const double* w, double b, Index lo, Index hi, double* z);
  void (*backward)(const Matrix&, const double* theta, Index lo, Index hi, double* g);
  // The dual step, what X' takes of it, and how fast it follows z; returns the squared movement.
  double (*augmented)(const Around&, Index lo, Index hi, double* a, double* theta, double* weights);
  // Derivatives of the augmented losses at z + length dz, by the length.
  Derivatives (*along)(const Around&, const double* dz, double length, Index lo, Index hi);
  // How far each argument can go before its slope changes, see the wrapper; returns how many cannot go at all.
  Index (*room)(const Around&, Index lo, Index hi, double* room);
  // Adds X' diag(h) X over the chosen rows and columns to the lower triangle of H and X' h to `mixed`.
  void (*curvature)(const Matrix&, const Chosen&, const double* h, double* H, double* mixed, double* scratch);
  Index (*curvature_scratch)(const Matrix&, Index width);
  // Steps of interior points, see the wrapper.
  void (*pairs_push)(const PairState&, double tau, double both, Index lo, Index hi);
  Limits (*pairs_follow)(const PairState&, Index lo, Index hi);
  double (*pairs_ahead)(const PairState&, double primal, double dual, Index lo, Index hi);
  void (*pairs_move)(const PairState&, double primal, double dual, Index lo, Index hi);
};

extern const RowKernels rows_baseline, rows_avx2, rows_avx512;

}  // namespace pdprox
