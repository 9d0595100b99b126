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

// Each function reads rows lo..hi-1 and nothing else; g is added to, not overwritten.
struct RowKernels {
  const char* name;
  Sums (*sweep)(const Matrix&, const Sweep&, Index lo, Index hi, double* g);
  void (*forward)(const Matrix&, const double* w, double b, Index lo, Index hi, double* z);
  void (*backward)(const Matrix&, const double* theta, Index lo, Index hi, double* g);
};

extern const RowKernels rows_baseline, rows_avx2, rows_avx512;

}  // namespace pdprox
