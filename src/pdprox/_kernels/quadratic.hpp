// Block coordinate descent on a quadratic with the charges of a tariff: see Tariff in penalties/tariff.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pdprox {

struct Quadratic {
  std::ptrdiff_t p;
  const double* Q;               // p x p, symmetric, positive semidefinite
  const double *single, *ridge;  // charges of |w_j| and of w_j^2 / 2
  std::ptrdiff_t groups;         // 0: none
  const std::ptrdiff_t *starts, *members;
  const double* group;  // charges of lengths; of their sum, squared, if `squared`
  bool squared;
};

// At most `sweeps` sweeps over all coordinates, fewer if one moves less than `goal`.  w and its gradient g of the
// quadratic part (without the ridge) are kept up to date.  Returns sum_j Q_jj (change of w_j)^2 of the first and of
// the last sweep.
struct Moved {
  double first, last;
};
Moved descend(const Quadratic&, double* w, double* g, int sweeps, double goal);

// The same with Q = A'A + diag(own) - bias bias' in place of a matrix; A has sparse columns.
struct Columns {
  std::ptrdiff_t p;
  const double* values;
  const std::int32_t* rows;
  const std::int32_t* starts;
  const double *own, *bias, *q;
  const double *single, *ridge;
};
// The gradient is q + A'r + own w - bias t; r and t follow w.
Moved descend(const Columns&, double* w, double* r, double* t, int sweeps, double goal);

}  // namespace pdprox
