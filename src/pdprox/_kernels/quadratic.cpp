#include "quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// The compiler makes one copy for each instruction set; the sanitizers cannot start with such copies.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define PDPROX_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PDPROX_CLONES
#endif

namespace pdprox {

namespace {

using Index = std::ptrdiff_t;

PDPROX_CLONES void add_multiple(double factor, const double* x, double* y, Index n) {
  for (Index j = 0; j < n; j++) y[j] += factor * x[j];
}

double soft(double v, double t) { return v > t ? v - t : v < -t ? v + t : 0.0; }

class Descent {
 public:
  Descent(const Quadratic& q, double* w, double* g) : q_(q), w_(w), g_(g) {
    if (!q.groups) return;
    Index widest = 0;
    for (Index k = 0; k < q.groups; k++) widest = std::max(widest, q.starts[k + 1] - q.starts[k]);
    old_.resize(widest), slope_.resize(widest), bound_.resize(q.groups), length_.resize(q.groups);
    for (Index k = 0; k < q.groups; k++) {
      bound_[k] = largest_eigenvalue_bound(k);
      length_[k] = length(k);
      total_ += q.group[k] * length_[k];
    }
  }

  double sweep() {
    double energy = 0.0;
    if (!q_.groups)
      for (Index j = 0; j < q_.p; j++) energy += single(j);
    else
      for (Index k = 0; k < q_.groups; k++) energy += block(k);
    return energy;
  }

 private:
  const Quadratic& q_;
  double *w_, *g_;
  std::vector<double> old_, slope_, bound_, length_;
  double total_ = 0.0;  // sum of charged lengths

  double at(Index i, Index j) const { return q_.Q[i * q_.p + j]; }

  double single(Index j) {
    const double curve = at(j, j), h = curve + q_.ridge[j];
    if (!(h > 0.0)) return 0.0;
    const double u = g_[j] + q_.ridge[j] * w_[j];
    const double change = soft(w_[j] - u / h, q_.single[j] / h) - w_[j];
    if (change == 0.0) return 0.0;
    w_[j] += change;
    add_multiple(change, q_.Q + j * q_.p, g_, q_.p);
    return curve * change * change;
  }

  double largest_eigenvalue_bound(Index k) const {
    double trace = 0.0, row = 0.0;
    for (Index a = q_.starts[k]; a < q_.starts[k + 1]; a++) {
      double sum = 0.0;
      for (Index b = q_.starts[k]; b < q_.starts[k + 1]; b++)
        sum += std::fabs(at(q_.members[a], q_.members[b]));
      trace += at(q_.members[a], q_.members[a]);
      row = std::max(row, sum);
    }
    return std::min(trace, row);
  }

  double length(Index k) const {
    double squares = 0.0;
    for (Index a = q_.starts[k]; a < q_.starts[k + 1]; a++) squares += w_[q_.members[a]] * w_[q_.members[a]];
    return std::sqrt(squares);
  }

  // A few proximal gradient steps within the group; then everybody hears of the change.
  double block(Index k) {
    const Index lo = q_.starts[k], m = q_.starts[k + 1] - lo;
    const Index* members = q_.members + lo;
    double charge = q_.group[k], more_ridge = 0.0;
    if (q_.squared) {  // (others + charge * length)^2
      const double others = total_ - charge * length_[k];
      more_ridge = 2.0 * charge * charge;
      charge *= 2.0 * std::max(others, 0.0);
    }
    for (Index a = 0; a < m; a++) old_[a] = w_[members[a]], slope_[a] = g_[members[a]];
    bool changed = false;
    for (int round = 0; round < (m == 1 ? 1 : 8); round++) {
      const double moved = shrink(members, m, bound_[k], charge, more_ridge);
      if (moved == 0.0) break;
      changed = true;
      if (m == 1) break;
      if (round == 0) first_ = moved;
      else if (moved <= 1e-4 * first_) break;
    }
    double energy = 0.0;
    if (!changed) return 0.0;
    for (Index a = 0; a < m; a++) {
      const double change = w_[members[a]] - old_[a];
      if (change == 0.0) continue;
      add_multiple(change, q_.Q + members[a] * q_.p, g_, q_.p);
      energy += at(members[a], members[a]) * change * change;
    }
    total_ -= q_.group[k] * length_[k];
    length_[k] = length(k);
    total_ += q_.group[k] * length_[k];
    return energy;
  }

  // One proximal gradient step of the group; slope_ follows within it.  Returns the squared movement.
  double shrink(const Index* members, Index m, double bound, double charge, double more_ridge) {
    double ridge = 0.0;
    for (Index a = 0; a < m; a++) ridge = std::max(ridge, q_.ridge[members[a]]);
    const double h = bound + ridge + more_ridge;
    if (!(h > 0.0)) return 0.0;
    step_.resize(m);
    double squares = 0.0;
    for (Index a = 0; a < m; a++) {
      const Index j = members[a];
      // the ridge of the group's own squared length stands in the prox, that of single entries in the gradient
      const double v = (w_[j] * (bound + ridge) - slope_[a] - q_.ridge[j] * w_[j]) / h;
      step_[a] = soft(v, q_.single[j] / h);
      squares += step_[a] * step_[a];
    }
    const double size = std::sqrt(squares), kept = size > 0.0 ? std::max(0.0, 1.0 - charge / h / size) : 0.0;
    double moved = 0.0;
    for (Index a = 0; a < m; a++) {
      const double change = kept * step_[a] - w_[members[a]];
      if (change == 0.0) continue;
      w_[members[a]] += change;
      moved += change * change;
      for (Index b = 0; b < m; b++) slope_[b] += change * at(members[a], members[b]);
    }
    return moved;
  }

  std::vector<double> step_;
  double first_ = 0.0;
};

// Coordinate descent that reads columns of A instead of rows of Q.
class ColumnDescent {
 public:
  ColumnDescent(const Columns& q, double* w, double* r, double* t) : q_(q), w_(w), r_(r), t_(t), curve_(q.p) {
    for (Index j = 0; j < q.p; j++) {
      double squares = 0.0;
      for (Index k = q.starts[j]; k < q.starts[j + 1]; k++) squares += q.values[k] * q.values[k];
      curve_[j] = std::max(squares - q.bias[j] * q.bias[j], 0.0) + q.own[j];
    }
  }

  double sweep() {
    double energy = 0.0;
    for (Index j = 0; j < q_.p; j++) {
      const double h = curve_[j] + q_.ridge[j];
      if (!(h > 0.0)) continue;
      const Index lo = q_.starts[j], hi = q_.starts[j + 1];
      double u = q_.q[j] + (q_.own[j] + q_.ridge[j]) * w_[j] - q_.bias[j] * *t_;
      for (Index k = lo; k < hi; k++) u += q_.values[k] * r_[q_.rows[k]];
      const double change = soft(w_[j] - u / h, q_.single[j] / h) - w_[j];
      if (change == 0.0) continue;
      w_[j] += change;
      *t_ += change * q_.bias[j];
      for (Index k = lo; k < hi; k++) r_[q_.rows[k]] += change * q_.values[k];
      energy += curve_[j] * change * change;
    }
    return energy;
  }

 private:
  const Columns& q_;
  double *w_, *r_, *t_;
  std::vector<double> curve_;
};

template <class D> Moved repeat(D& descent, int sweeps, double goal) {
  Moved moved{0.0, 0.0};
  for (int k = 0; k < sweeps; k++) {
    moved.last = descent.sweep();
    if (k == 0) moved.first = moved.last;
    if (moved.last <= goal) break;
  }
  return moved;
}

}  // namespace

Moved descend(const Quadratic& q, double* w, double* g, int sweeps, double goal) {
  Descent descent(q, w, g);
  return repeat(descent, sweeps, goal);
}

Moved descend(const Columns& q, double* w, double* r, double* t, int sweeps, double goal) {
  ColumnDescent descent(q, w, r, t);
  return repeat(descent, sweeps, goal);
}

}  // namespace pdprox
