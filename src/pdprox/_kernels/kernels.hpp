// The kernels over all rows, in as many threads as OpenMP allows and the work is worth.
#pragma once

#include <vector>

#include "rows.hpp"

namespace pdprox {

// Each overwrites its output: g of length d, z of length n, H of shape width x width (without
// columns: all of them).
Sums sweep(const Matrix&, const Sweep&, double* g);
void forward(const Matrix&, const double* w, double b, double* z);
void backward(const Matrix&, const double* theta, double* g);
double augmented(const Around&, Index n, double* a, double* theta, double* weights);
Derivatives along(const Around&, Index n, const double* dz, double length);
Index room(const Around&, Index n, double* room);
double curvature(const Matrix&, const double* h, const Index* columns, Index width, double* H, double* mixed);
void pairs_push(const PairState&, double tau, double both);
Limits pairs_follow(const PairState&);
double pairs_ahead(const PairState&, double primal, double dual);
void pairs_move(const PairState&, double primal, double dual);

// The row kernels that this machine can run, best first, and which of them are in use.
const std::vector<const RowKernels*>& runnable();
extern const RowKernels* rows;

}  // namespace pdprox
