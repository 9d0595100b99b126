// The row kernels, compiled once for each instruction set; PDPROX_ROWS names the table they go into.
//
// Everything but that table is in an anonymous namespace and no standard container is used:
// otherwise the linker could pick an AVX-512 copy of a shared inline function for all machines.
#include "rows.hpp"

#include "csr.hpp"
#include "curvature.hpp"
#include "dense.hpp"
#include "pairs.hpp"

namespace {

using namespace pdprox;

constexpr Index max_panel = 4096;

// Rows in C order.  A panel is made of blocks of rows that the loops take together.
template <class T> class DenseRows {
 public:
  // All of this is measured.  Doubles go two rows at a time where a block and what is prefetched then
  // stay in the first level of cache; four if that is so anyway, or hopeless, and for floats, which
  // need converting.  Very short rows have several blocks to a panel, so that their dual steps go
  // together.
  explicit DenseRows(const Matrix& X) : x_(static_cast<const T*>(X.values)), d_(X.d) {
    const Index bytes = d_ * static_cast<Index>(sizeof(T));
    block_ = sizeof(T) == 8 && bytes > 512 && bytes <= 4096 ? 2 : 4;
    panel_ = 16;
    while (panel_ > block_ && panel_ * bytes > 2048) panel_ /= 2;
  }

  template <bool sweep> Index panel() const { return panel_; }

  template <bool sweep> void multiply(Index i, Index m, const double* w, double* z) const {
    Index r = 0;
    if (block_ == 4)
      for (; r + 4 <= m; r += 4) dots<4, sweep ? 2 : 4>(strips(i + r), w, z + r);
    for (; r + 2 <= m; r += 2) dots<2, sweep ? 1 : 2>(strips(i + r), w, z + r);
    if (r < m) dots<1, 0>(strips(i + r), w, z + r);
  }

  template <bool sweep> void add(Index i, Index m, const double* theta, double* g) const {
    Index r = 0;
    if (block_ == 4)
      for (; r + 4 <= m; r += 4) combine<4, sweep ? 2 : 4>(strips(i + r), theta + r, g);
    for (; r + 2 <= m; r += 2) combine<2, sweep ? 1 : 2>(strips(i + r), theta + r, g);
    if (r < m) combine<1, 0>(strips(i + r), theta + r, g);
  }

 private:
  const T* x_;
  Index d_, block_, panel_;

  Strips<T> strips(Index i) const {
    const T* start = x_ + i * d_;
    Index near = panel_ * d_, far = block_ * 4096 / static_cast<Index>(sizeof(T));
    return {start, d_, d_, head_of(start, d_, d_), start + (near > far ? near : far)};
  }
};

// Rows in Fortran order: the strips are pieces of columns, as long as the panel has rows.
template <class T> class FortranRows {
 public:
  explicit FortranRows(const Matrix& X) : x_(static_cast<const T*>(X.values)), n_(X.n), d_(X.d) {}

  // A panel of 2 MiB is still in cache when a sweep reads it again.  Pieces of fewer than 128 rows
  // take longer to fetch than that saves; and where nothing is read again, the longer the better.
  template <bool sweep> Index panel() const {
    const Index rows = (Index(2) << 20) / ((d_ ? d_ : 1) * static_cast<Index>(sizeof(T))) / 64 * 64;
    return !sweep || rows < 128 || rows > max_panel ? max_panel : rows;
  }

  template <bool sweep> void multiply(Index i, Index m, const double* w, double* z) const {
    for (Index k = 0; k < m; k++) z[k] = 0.0;
    Index j = 0;
    for (; j + 8 <= d_; j += 8) combine<8, sweep ? 4 : 0>(strips(i, m, j), w + j, z);
    for (; j < d_; j++) combine<1, 0>(strips(i, m, j), w + j, z);
  }

  template <bool sweep> void add(Index i, Index m, const double* theta, double* g) const {
    double part[8];
    Index j = 0;
    for (; j + 8 <= d_; j += 8) {
      dots<8, sweep ? 4 : 0>(strips(i, m, j), theta, part);
      for (int r = 0; r < 8; r++) g[j + r] += part[r];
    }
    for (; j < d_; j++) {
      dots<1, 0>(strips(i, m, j), theta, part);
      g[j] += part[0];
    }
  }

 private:
  const T* x_;
  Index n_, d_;

  Strips<T> strips(Index i, Index m, Index j) const {
    const T* start = x_ + j * n_ + i;
    return {start, n_, m, head_of(start, n_, m), start + m};
  }
};

template <int M> inline double total(const double* v) {
  if constexpr (M == 1) return v[0];
  else return total<M / 2>(v) + total<M - M / 2>(v + M / 2);
}

// The a that minimise step * conjugate(a) + (a - u)^2 / 2; u and step are changed on the way.
template <int M> inline void dual_prox(const Line& line, double* u, double* step, double* a) {
  if (line.smoothing > 0)
    for (int m = 0; m < M; m++) {
      double shrink = 1.0 + step[m] * line.smoothing;
      u[m] /= shrink;
      step[m] /= shrink;
    }
  for (int m = 0; m < M; m++) a[m] = line.slopes[0];
  for (Index k = 0; k < line.n_kinks; k++)
    for (int m = 0; m < M; m++) {
      // Written so that a NaN in u comes through both comparisons.
      double v = u[m] - step[m] * line.kinks[k], slope = line.slopes[k + 1];
      v = slope < v ? slope : v;
      a[m] = a[m] > v ? a[m] : v;
    }
}

// The dual steps of rows i..i+M-1, given z = Xw + b without b.  Leaves theta in z.
template <int M> inline void dual_step(const Sweep& s, Index i, double* z, Sums& sums) {
  double old[M], u[M], step[M], a[M], moved[M];
  for (int m = 0; m < M; m++) {
    double t = z[m] + s.b;
    t = s.line.margin ? s.y[i + m] * t : t - s.y[i + m];
    old[m] = s.alpha[i + m];
    step[m] = s.step[(i + m) * s.step_stride];
    u[m] = old[m] + step[m] * t;
  }
  dual_prox<M>(s.line, u, step, a);
  for (int m = 0; m < M; m++) {
    double c = s.c[i + m], change = a[m] - old[m], theta = c * a[m];
    if (s.line.margin) theta *= s.y[i + m];
    s.out[i + m] = a[m];
    z[m] = theta;
    moved[m] = c * change * change;
  }
  sums.gb += total<M>(z);
  sums.moved += total<M>(moved);
  if (s.next)
    for (int m = 0; m < M; m++)
      s.next[i + m] = s.f * (2.0 * a[m] - old[m]) + (1.0 - s.f) * s.anchor[i + m];
}

template <class Rows> Sums sweep_rows(const Rows& X, const Sweep& s, Index lo, Index hi, double* g) {
  double z[max_panel];
  Sums sums{0.0, 0.0};
  const Index panel = X.template panel<true>();
  for (Index i = lo; i < hi; i += panel) {
    const Index m = hi - i < panel ? hi - i : panel;
    X.template multiply<true>(i, m, s.w, z);
    Index k = 0;
    for (; k + 8 <= m; k += 8) dual_step<8>(s, i + k, z + k, sums);
    for (; k + 2 <= m; k += 2) dual_step<2>(s, i + k, z + k, sums);
    if (k < m) dual_step<1>(s, i + k, z + k, sums);
    X.template add<true>(i, m, z, g);
  }
  return sums;
}

template <class Rows> void forward_rows(const Rows& X, const double* w, double b, Index lo, Index hi, double* z) {
  const Index panel = X.template panel<false>();
  for (Index i = lo; i < hi; i += panel) {
    const Index m = hi - i < panel ? hi - i : panel;
    X.template multiply<false>(i, m, w, z + i);
    for (Index k = i; k < i + m; k++) z[k] += b;
  }
}

template <class Rows> void backward_rows(const Rows& X, const double* theta, Index lo, Index hi, double* g) {
  const Index panel = X.template panel<false>();
  for (Index i = lo; i < hi; i += panel) {
    const Index m = hi - i < panel ? hi - i : panel;
    X.template add<false>(i, m, theta + i, g);
  }
}

// The augmented losses of rows i..i+M-1: arguments' orientation, the maximising a, and its rate of change.
template <int M>
inline void around_rows(const Around& s, const double* dz, double length, Index i, double* o, double* a,
                        double* rate) {
  double u[M], step[M];
  for (int m = 0; m < M; m++) {
    const double z = dz ? s.z[i + m] + length * dz[i + m] : s.z[i + m];
    o[m] = s.line.margin ? s.y[i + m] : 1.0;
    u[m] = s.alpha[i + m] + s.step * (s.line.margin ? o[m] * z : z - s.y[i + m]);
    step[m] = s.step;
  }
  dual_prox<M>(s.line, u, step, a);
  for (int m = 0; m < M; m++) rate[m] = step[m];
  for (Index k = 0; k <= s.line.n_kinks; k++)
    for (int m = 0; m < M; m++) rate[m] = a[m] == s.line.slopes[k] ? 0.0 : rate[m];
}

template <int M>
inline double augmented_rows(const Around& s, Index i, double* a, double* theta, double* weights) {
  double o[M], found[M], rate[M], moved[M];
  around_rows<M>(s, nullptr, 0.0, i, o, found, rate);
  for (int m = 0; m < M; m++) {
    const double c = s.c[i + m], change = found[m] - s.alpha[i + m];
    theta[i + m] = c * found[m] * o[m];
    weights[i + m] = c * rate[m];
    moved[m] = c * change * change;
    a[i + m] = found[m];
  }
  return total<M>(moved);
}

double augmented(const Around& s, Index lo, Index hi, double* a, double* theta, double* weights) {
  double moved = 0.0;
  Index i = lo;
  for (; i + 8 <= hi; i += 8) moved += augmented_rows<8>(s, i, a, theta, weights);
  for (; i < hi; i++) moved += augmented_rows<1>(s, i, a, theta, weights);
  return moved;
}

template <int M>
inline void along_rows(const Around& s, const double* dz, double length, Index i, Derivatives& sums) {
  double o[M], a[M], rate[M], first[M], second[M];
  around_rows<M>(s, dz, length, i, o, a, rate);
  for (int m = 0; m < M; m++) {
    const double c = s.c[i + m], change = dz[i + m];
    first[m] = c * a[m] * o[m] * change;
    second[m] = c * rate[m] * change * change;
  }
  sums.first += total<M>(first);
  sums.second += total<M>(second);
}

Derivatives along(const Around& s, const double* dz, double length, Index lo, Index hi) {
  Derivatives sums{0.0, 0.0};
  Index i = lo;
  for (; i + 8 <= hi; i += 8) along_rows<8>(s, dz, length, i, sums);
  for (; i < hi; i++) along_rows<1>(s, dz, length, i, sums);
  return sums;
}

// A slope is the line's own between two kinks, moved by the smoothing times the slope.
Index room(const Around& s, Index lo, Index hi, double* room) {
  constexpr double infinity = __builtin_huge_val();
  for (Index i = lo; i < hi; i++) room[i] = -infinity;
  for (Index k = 0; k <= s.line.n_kinks; k++) {
    const double slope = s.line.slopes[k];
    if (!(slope > -infinity && slope < infinity)) continue;
    const double shift = s.line.smoothing * slope, near = 1e-12 * (1.0 + (slope < 0.0 ? -slope : slope));
    const double left = k > 0 ? s.line.kinks[k - 1] + shift : -infinity;
    const double right = k < s.line.n_kinks ? s.line.kinks[k] + shift : infinity;
    for (Index i = lo; i < hi; i++) {
      const double t = s.line.margin ? s.y[i] * s.z[i] : s.z[i] - s.y[i];
      const double away = s.alpha[i] - slope, below = t - left, above = right - t;
      const double least = below < above ? below : above;
      room[i] = away <= near && -away <= near && least >= 0.0 ? least : room[i];
    }
  }
  Index stuck = 0;
  for (Index i = lo; i < hi; i++) stuck += room[i] < 0.0;
  return stuck;
}

template <class T>
void add_curvature(const Matrix& X, const Chosen& of, const double* h, double* H, double* mixed, double* scratch) {
  using std::int32_t;
  using std::int64_t;
  if (X.layout != Layout::csr) add_dense_curvature<T>(X, of, h, H, mixed, scratch);
  else if (X.wide_indptr && X.wide_indices)
    add_sparse_curvature<T, int64_t, int64_t>(X, of, h, H, mixed, scratch);
  else if (X.wide_indptr) add_sparse_curvature<T, int32_t, int64_t>(X, of, h, H, mixed, scratch);
  else if (X.wide_indices) add_sparse_curvature<T, int64_t, int32_t>(X, of, h, H, mixed, scratch);
  else add_sparse_curvature<T, int32_t, int32_t>(X, of, h, H, mixed, scratch);
}

void curvature(const Matrix& X, const Chosen& of, const double* h, double* H, double* mixed, double* scratch) {
  if (X.single) add_curvature<float>(X, of, h, H, mixed, scratch);
  else add_curvature<double>(X, of, h, H, mixed, scratch);
}

Index curvature_scratch(const Matrix& X, Index width) {
  return 2 * (X.layout == Layout::csr ? width : block_rows(width) * padded(width));
}

// Calls f with the rows of X under their right type.
template <class T, class F> auto with_values(const Matrix& X, F f) {
  if (X.layout == Layout::c_order) return f(DenseRows<T>(X));
  if (X.layout == Layout::f_order) return f(FortranRows<T>(X));
  if (X.wide_indptr)
    return X.wide_indices ? f(SparseRows<T, std::int64_t, std::int64_t>(X))
                          : f(SparseRows<T, std::int32_t, std::int64_t>(X));
  return X.wide_indices ? f(SparseRows<T, std::int64_t, std::int32_t>(X))
                        : f(SparseRows<T, std::int32_t, std::int32_t>(X));
}

template <class F> auto with_rows(const Matrix& X, F f) {
  return X.single ? with_values<float>(X, f) : with_values<double>(X, f);
}

Sums sweep(const Matrix& X, const Sweep& s, Index lo, Index hi, double* g) {
  return with_rows(X, [&](const auto& rows) { return sweep_rows(rows, s, lo, hi, g); });
}

void forward(const Matrix& X, const double* w, double b, Index lo, Index hi, double* z) {
  with_rows(X, [&](const auto& rows) { forward_rows(rows, w, b, lo, hi, z); });
}

void backward(const Matrix& X, const double* theta, Index lo, Index hi, double* g) {
  with_rows(X, [&](const auto& rows) { backward_rows(rows, theta, lo, hi, g); });
}

}  // namespace

namespace pdprox {
#define PDPROX_TEXT_(x) #x
#define PDPROX_TEXT(x) PDPROX_TEXT_(x)
const RowKernels PDPROX_ROWS{PDPROX_TEXT(PDPROX_ROWS), sweep, forward, backward, augmented, along, room,
                              curvature, curvature_scratch, pairs_push, pairs_follow, pairs_ahead, pairs_move};
}  // namespace pdprox
