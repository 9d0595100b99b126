#include "coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pdprox {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double soft(double v, double t) { return v > t ? v - t : v < -t ? v + t : 0.0; }

template <class T, class I, class P> class SparseRow {
 public:
  explicit SparseRow(const Matrix& X)
      : x_(static_cast<const T*>(X.values)), index_(static_cast<const I*>(X.indices)),
        start_(static_cast<const P*>(X.indptr)) {}

  void fetch(Index i) const {
#if defined(__GNUC__)
    const Index lo = start_[i], hi = std::min<Index>(start_[i + 1], lo + 128);
    for (Index k = lo; k < hi; k += Index(64 / sizeof(T))) __builtin_prefetch(x_ + k);
    for (Index k = lo; k < hi; k += Index(64 / sizeof(I))) __builtin_prefetch(index_ + k);
#else
    (void)i;
#endif
  }

  double dot(Index i, const double* w) const {
    double total[4] = {0.0, 0.0, 0.0, 0.0};
    Index k = start_[i];
    const Index end = start_[i + 1];
    for (; k + 4 <= end; k += 4)
      for (int u = 0; u < 4; u++) total[u] += double(x_[k + u]) * w[index_[k + u]];
    for (; k < end; k++) total[0] += double(x_[k]) * w[index_[k]];
    return (total[0] + total[1]) + (total[2] + total[3]);
  }

  template <class F> void each(Index i, F f) const {
    for (Index k = start_[i], end = start_[i + 1]; k < end; k++) f(Index(index_[k]), double(x_[k]));
  }

 private:
  const T* x_;
  const I* index_;
  const P* start_;
};

template <class T> class DenseRow {
 public:
  explicit DenseRow(const Matrix& X) : x_(static_cast<const T*>(X.values)), d_(X.d) {}

  void fetch(Index) const {}

  double dot(Index i, const double* w) const {
    double total[8] = {};
    const T* x = x_ + i * d_;
    Index j = 0;
    for (; j + 8 <= d_; j += 8)
      for (int u = 0; u < 8; u++) total[u] += double(x[j + u]) * w[j + u];
    for (; j < d_; j++) total[0] += double(x[j]) * w[j];
    return ((total[0] + total[1]) + (total[2] + total[3])) + ((total[4] + total[5]) + (total[6] + total[7]));
  }

  template <class F> void each(Index i, F f) const {
    for (Index j = 0; j < d_; j++) f(j, double(x_[i * d_ + j]));
  }

 private:
  const T* x_;
  Index d_;
};

// The slope at which a t minus the conjugate is largest.
double best_slope(const Line& line, double t) {
  double a = line.slopes[0];
  for (Index k = 0; k < line.n_kinks; k++) {
    const double past = t - line.kinks[k], slope = line.slopes[k + 1];
    if (line.smoothing > 0.0) a = std::max(a, std::min(past / line.smoothing, slope));
    else if (past > 0.0) a = slope;
  }
  return a;
}

// The a that minimises step * conjugate(a) + (a - u)^2 / 2.
double dual_prox(const Line& line, double u, double step) {
  const double shrink = 1.0 + step * line.smoothing;
  u /= shrink, step /= shrink;
  double a = line.slopes[0];
  for (Index k = 0; k < line.n_kinks; k++) a = std::max(a, std::min(u - step * line.kinks[k], line.slopes[k + 1]));
  return a;
}

// Loss at t plus conjugate at a minus a t: the integral of t - kink - smoothing s over slopes s from a to the best.
double fenchel_gap(const Line& line, double t, double a) {
  const double best = best_slope(line, t), low = std::min(a, best), high = std::max(a, best);
  double gap = 0.0;
  for (Index k = 0; k < line.n_kinks; k++) {
    const double from = std::max(low, line.slopes[k]), to = std::min(high, line.slopes[k + 1]);
    if (to > from) gap += (to - from) * (t - line.kinks[k] - 0.5 * line.smoothing * (from + to));
  }
  return best >= a ? gap : -gap;
}

// How strongly a sample's slope is drawn down and up, both at most 0 where it is at a corner that fits.
struct Pull {
  double down, up;
  bool corner;
};

Pull pull_of(const Line& line, double t, double a) {
  t -= line.smoothing * a;
  Index above = 0;  // the first slope that is not below a
  while (above <= line.n_kinks && line.slopes[above] < a) above++;
  const bool corner = above <= line.n_kinks && line.slopes[above] == a;
  const Index left = above - 1, right = corner ? above : left;  // kinks
  return {left >= 0 ? line.kinks[std::min(left, line.n_kinks - 1)] - t : -infinity,
          right < line.n_kinks ? t - line.kinks[std::max<Index>(right, 0)] : -infinity, corner};
}

std::uint64_t next_random(std::uint64_t& seed) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return seed >> 32;
}

// One way of keeping the coefficients: w alone, or v as well and w made of it.
class PlainCoefficients {
 public:
  PlainCoefficients(const Coordinates& q, Index d, double*, double* w) : inverse_(d ? q.inverse[0] : 0.0), w_(w) {}
  template <class Row> void add(const Row& rows, Index i, double theta) const {
    const double factor = theta * inverse_;
    double* w = w_;
    rows.each(i, [=](Index j, double x) { w[j] -= factor * x; });
  }

 private:
  double inverse_;
  double* w_;
};

class ChargedCoefficients {
 public:
  ChargedCoefficients(const Coordinates& q, Index, double* v, double* w)
      : single_(q.single), inverse_(q.inverse), v_(v), w_(w) {}
  template <class Row> void add(const Row& rows, Index i, double theta) const {
    rows.each(i, [this, theta](Index j, double x) {
      v_[j] -= theta * x;
      w_[j] = soft(v_[j], single_[j]) * inverse_[j];
    });
  }

 private:
  const double *single_, *inverse_;
  double *v_, *w_;
};

template <class Coefficients, class Row>
void visit(const Row& rows, Index d, const Coordinates& q, double* alpha, double* v, double* w, Index* order,
           Epoch& e) {
  const Coefficients coefficients(q, d, v, w);
  for (Index k = 0; k + 1 < e.active; k++)
    std::swap(order[k], order[k + Index((next_random(e.seed) * std::uint64_t(e.active - k)) >> 32)]);
  double least = 0.0, most = 0.0;
  e.gap = 0.0, e.free = e.changed = 0;
  Index k = 0;
  while (k < e.active) {
    const Index i = order[k];
    if (k + 2 < e.active) rows.fetch(order[k + 2]);
    const double sign = q.line.margin ? q.y[i] : 1.0, z = rows.dot(i, w) + w[d];
    const double t = q.line.margin ? sign * z : z - q.y[i], before = alpha[i], c = q.c[i];
    const Pull pull = pull_of(q.line, t, before);
    e.visited++;
    if (pull.corner && pull.down <= 0.0 && pull.up <= 0.0) {
      if (-pull.down > e.most && -pull.up > -e.least) std::swap(order[k], order[--e.active]);
      else k++;
      continue;
    }
    k++;
    most = std::max(most, pull.up), least = std::min(least, -pull.down);
    e.gap += c * fenchel_gap(q.line, t, before);
    const double curve = c * q.squares[i];
    const double after =
        curve > 0.0 ? dual_prox(q.line, before + t / curve, 1.0 / curve) : best_slope(q.line, t);
    const bool corner = pull_of(q.line, 0.0, after).corner;
    e.free += !corner, e.changed += corner != pull.corner;
    if (after == before) continue;
    alpha[i] = after;
    const double theta = c * (after - before) * sign;
    coefficients.add(rows, i, theta);
    v[d] -= theta;
    w[d] -= theta * q.inverse[d];
    e.moved++;
  }
  e.most = most > 0.0 ? most : infinity, e.least = least < 0.0 ? least : -infinity;
}

// Calls f with the rows of X under their right type.
template <class T, class F> void with_rows(const Matrix& X, F f) {
  using std::int32_t;
  using std::int64_t;
  if (X.layout != Layout::csr) f(DenseRow<T>(X));
  else if (X.wide_indptr && X.wide_indices) f(SparseRow<T, int64_t, int64_t>(X));
  else if (X.wide_indptr) f(SparseRow<T, int32_t, int64_t>(X));
  else if (X.wide_indices) f(SparseRow<T, int64_t, int32_t>(X));
  else f(SparseRow<T, int32_t, int32_t>(X));
}

}  // namespace

void epochs(const Matrix& X, const Coordinates& q, double* alpha, double* v, double* w, Index* order, Index visits,
            double goal, Epoch& e) {
  const auto run = [&](const auto& rows) {
    do {
      if (q.single) visit<ChargedCoefficients>(rows, X.d, q, alpha, v, w, order, e);
      else visit<PlainCoefficients>(rows, X.d, q, alpha, v, w, order, e);
    } while (e.visited < visits && e.gap > goal && e.changed > 0);
  };
  e.visited = e.moved = 0;
  if (X.single) with_rows<float>(X, run);
  else with_rows<double>(X, run);
}

}  // namespace pdprox
