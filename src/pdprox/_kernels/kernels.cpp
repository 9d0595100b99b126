#include "kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace pdprox {

namespace {

Index entry(const void* indptr, bool wide, Index i) {
  return wide ? static_cast<Index>(static_cast<const std::int64_t*>(indptr)[i])
              : static_cast<Index>(static_cast<const std::int32_t*>(indptr)[i]);
}

// Entries of X in the first i rows, plus a little for each row.
Index work_before(const Matrix& X, Index i) {
  Index entries = X.layout == Layout::csr ? entry(X.indptr, X.wide_indptr, i) - entry(X.indptr, X.wide_indptr, 0)
                                          : i * X.d;
  return entries + 4 * i;
}

// How many threads the work is worth.  Below 2^15 entries a thread costs more than it saves; so
// does one whose own sum of length d costs more than its rows.
Index worthwhile(const Matrix& X, bool sums) {
#ifdef _OPENMP
  Index work = work_before(X, X.n), threads = omp_get_max_threads();
  threads = std::min(threads, work >> 15);
  if (sums) threads = std::min(threads, 2 * work / std::max<Index>(X.d, 1));
  return std::max<Index>(threads, 1);
#else
  (void)X, (void)sums;
  return 1;
#endif
}

// Where the rows of thread t begin: equal work for all, and whole lines of cache in vectors.
Index first_row(const Matrix& X, Index t, Index threads) {
  if (t == threads) return X.n;
  Index target = static_cast<Index>(static_cast<double>(work_before(X, X.n)) * t / threads);
  Index lo = 0, hi = X.n;
  while (lo < hi) {
    Index middle = lo + (hi - lo) / 2;
    if (work_before(X, middle) < target) lo = middle + 1;
    else hi = middle;
  }
  return lo / 8 * 8;
}

// Runs body(t, lo, hi, g_t) in each thread and adds the g_t in the order of t: the same number of
// threads gives the same bits.
template <class Body> void add_up(const Matrix& X, double* g, Index threads, Body body) {
  const Index d = X.d;
  if (threads == 1) {
    std::fill(g, g + d, 0.0);
    return body(0, 0, X.n, g);
  }
  const Index stride = (d + 15) / 8 * 8;  // two threads never share a line of cache
  std::unique_ptr<double[]> others(new double[stride * (threads - 1)]);
#pragma omp parallel num_threads(static_cast<int>(threads))
  {
#pragma omp for schedule(static, 1)
    for (Index t = 0; t < threads; t++) {
      double* mine = t == 0 ? g : others.get() + stride * (t - 1);
      std::fill(mine, mine + d, 0.0);
      body(t, first_row(X, t, threads), first_row(X, t + 1, threads), mine);
    }
#pragma omp for schedule(static)
    for (Index block = 0; block < d; block += 512)
      for (Index t = 1; t < threads; t++) {
        const double* theirs = others.get() + stride * (t - 1);
        for (Index j = block; j < std::min(block + 512, d); j++) g[j] += theirs[j];
      }
  }
}

}  // namespace

const std::vector<const RowKernels*>& runnable() {
  static const std::vector<const RowKernels*> found = [] {
    std::vector<const RowKernels*> all;
#ifdef PDPROX_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
      all.push_back(&rows_avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&rows_avx2);
#endif
    all.push_back(&rows_baseline);
    return all;
  }();
  return found;
}

const RowKernels* rows = runnable().front();

Sums sweep(const Matrix& X, const Sweep& s, double* g) {
  const Index threads = worthwhile(X, true);
  std::vector<Sums> parts(threads);
  add_up(X, g, threads, [&](Index t, Index lo, Index hi, double* mine) {
    parts[t] = rows->sweep(X, s, lo, hi, mine);
  });
  Sums sums{0.0, 0.0};
  for (const Sums& part : parts) sums.gb += part.gb, sums.moved += part.moved;
  return sums;
}

void forward(const Matrix& X, const double* w, double b, double* z) {
  const Index threads = worthwhile(X, false);
  if (threads == 1) return rows->forward(X, w, b, 0, X.n, z);
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(threads))
  for (Index t = 0; t < threads; t++)
    rows->forward(X, w, b, first_row(X, t, threads), first_row(X, t + 1, threads), z);
}

void backward(const Matrix& X, const double* theta, double* g) {
  add_up(X, g, worthwhile(X, true), [&](Index, Index lo, Index hi, double* mine) {
    rows->backward(X, theta, lo, hi, mine);
  });
}

}  // namespace pdprox
