// Exact steps on one dual variable at a time, where every coefficient pays for its square.
#pragma once

#include <cstdint>

#include "rows.hpp"

namespace pdprox {

// Coefficients follow the dual variables: w_j = soft(v_j, single_j) * inverse_j, and v_j falls by what theta_i x_ij
// rises.  The last entry of v, w and inverse is the intercept's; its inverse is 0 if there is none.
struct Coordinates {
  const double *y, *c;
  Line line;
  const double* inverse;  // 1 / curvature
  const double* single;   // charges of |w_j|; null: none, all inverses but the last are equal, and of v only the last
                          // entry is kept
  const double* squares;  // of each row: sum_j inverse_j x_ij^2, the intercept included
};

// Where epochs stand.
struct Epoch {
  Index active;         // the first so many samples of the order are visited; settled ones are moved behind them
  double least, most;   // how strongly samples were drawn down and up in the last epoch: settled ones are at a corner,
                        // and further from its ends
  std::uint64_t seed;
  double gap;           // Fenchel gaps that the last epoch met, weighted
  Index free, changed;  // samples between two slopes at its end; samples that came there or left
  Index visited, moved; // in all epochs of the call
};

// Epochs until so many samples have been visited, the gap is no larger than the goal, or nobody changes sides.
void epochs(const Matrix&, const Coordinates&, double* alpha, double* v, double* w, Index* order, Index visits,
            double goal, Epoch&);

}  // namespace pdprox
