#include "kernels.hpp"

#include "pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
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

// More parts than threads, so that a thread that starts late still finds some; but each part has a sum of length d
// of its own, which must not become the larger half of the work.
Index parts_for(const Matrix& X, Index threads) {
  if (threads == 1) return 1;
  const Index affordable = work_before(X, X.n) / (8 * std::max<Index>(X.d, 1));
  return std::max(threads, std::min<Index>({4 * threads, affordable, 4096}));
}

// Runs body(t, lo, hi, g_t) for every part t of the rows and adds the g_t in the order of t: the same number of
// threads gives the same bits.
template <class Body> void add_up(const Matrix& X, double* g, Index threads, Index parts, Body body) {
  const Index d = X.d;
  if (parts == 1) {
    std::fill(g, g + d, 0.0);
    return body(0, 0, X.n, g);
  }
  const Index stride = (d + 15) / 8 * 8;  // two parts never share a line of cache
  // Kept from call to call: fresh memory of this size would be handed back and cleared by the system every time.
  thread_local std::vector<double> scratch;
  if (scratch.size() < static_cast<std::size_t>(stride * (parts - 1))) scratch.resize(stride * (parts - 1));
  double* others = scratch.data();
  run_parts(static_cast<int>(parts), static_cast<int>(threads), [&](int t) {
    double* mine = t == 0 ? g : others + stride * (t - 1);
    std::fill(mine, mine + d, 0.0);
    body(t, first_row(X, t, parts), first_row(X, t + 1, parts), mine);
  });
  const Index block = 1 << 14, blocks = (d + block - 1) / block;
  run_parts(static_cast<int>(blocks), blocks > 1 ? static_cast<int>(threads) : 1, [&](int k) {
    for (Index t = 1; t < parts; t++) {
      const double* theirs = others + stride * (t - 1);
      for (Index j = k * block; j < std::min((k + 1) * block, d); j++) g[j] += theirs[j];
    }
  });
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
  const Index threads = worthwhile(X, true), parts = parts_for(X, threads);
  std::vector<Sums> each(parts);
  add_up(X, g, threads, parts, [&](Index t, Index lo, Index hi, double* mine) {
    each[t] = rows->sweep(X, s, lo, hi, mine);
  });
  Sums sums{0.0, 0.0};
  for (const Sums& part : each) sums.gb += part.gb, sums.moved += part.moved;
  return sums;
}

void forward(const Matrix& X, const double* w, double b, double* z) {
  const Index threads = worthwhile(X, false), parts = threads == 1 ? 1 : 4 * threads;
  run_parts(static_cast<int>(parts), static_cast<int>(threads), [&](int t) {
    rows->forward(X, w, b, first_row(X, t, parts), first_row(X, t + 1, parts), z);
  });
}

void backward(const Matrix& X, const double* theta, double* g) {
  const Index threads = worthwhile(X, true);
  add_up(X, g, threads, parts_for(X, threads), [&](Index, Index lo, Index hi, double* mine) {
    rows->backward(X, theta, lo, hi, mine);
  });
}

namespace {

// Parts of n samples whose vectors alone are worked on: worth a thread each from 2^15 on.
struct Shares {
  explicit Shares(Index n) {
    n_ = n;
#ifdef _OPENMP
    threads = static_cast<int>(std::max<Index>(std::min<Index>(omp_get_max_threads(), n >> 15), 1));
#endif
    parts = threads == 1 ? 1 : 4 * threads;
  }
  Index begin(int part) const { return part == parts ? n_ : n_ * part / parts / 8 * 8; }

  int threads = 1, parts = 1;

 private:
  Index n_;
};

// H is symmetric; its lower triangle is known.
void mirror(double* H, Index d) {
  const Index block = 32;
  for (Index i = 0; i < d; i += block)
    for (Index j = 0; j <= i; j += block)
      for (Index k = i; k < std::min(i + block, d); k++)
        for (Index l = j; l < std::min(j + block, k); l++) H[l * d + k] = H[k * d + l];
}

}  // namespace

double augmented(const Around& s, Index n, double* a, double* theta, double* weights) {
  const Shares shares(n);
  std::vector<double> moved(shares.parts);
  run_parts(shares.parts, shares.threads, [&](int t) {
    moved[t] = rows->augmented(s, shares.begin(t), shares.begin(t + 1), a, theta, weights);
  });
  double total = 0.0;
  for (double each : moved) total += each;
  return total;
}

Derivatives along(const Around& s, Index n, const double* dz, double length) {
  const Shares shares(n);
  std::vector<Derivatives> each(shares.parts);
  run_parts(shares.parts, shares.threads, [&](int t) {
    each[t] = rows->along(s, dz, length, shares.begin(t), shares.begin(t + 1));
  });
  Derivatives sums{0.0, 0.0};
  for (const Derivatives& part : each) sums.first += part.first, sums.second += part.second;
  return sums;
}

Index room(const Around& s, Index n, double* room) {
  const Shares shares(n);
  std::vector<Index> stuck(shares.parts);
  run_parts(shares.parts, shares.threads, [&](int t) {
    stuck[t] = rows->room(s, shares.begin(t), shares.begin(t + 1), room);
  });
  Index total = 0;
  for (Index each : stuck) total += each;
  return total;
}

void pairs_push(const PairState& s, double tau, double both) {
  const Shares shares(s.m);
  run_parts(shares.parts, shares.threads,
            [&](int t) { rows->pairs_push(s, tau, both, shares.begin(t), shares.begin(t + 1)); });
}

Limits pairs_follow(const PairState& s) {
  const Shares shares(s.m);
  std::vector<Limits> each(shares.parts);
  run_parts(shares.parts, shares.threads,
            [&](int t) { each[t] = rows->pairs_follow(s, shares.begin(t), shares.begin(t + 1)); });
  Limits most{0.0, 0.0};
  for (const Limits& part : each) {
    most.primal = most.primal >= part.primal ? most.primal : part.primal;
    most.dual = most.dual >= part.dual ? most.dual : part.dual;
  }
  return most;
}

double pairs_ahead(const PairState& s, double primal, double dual) {
  const Shares shares(s.m);
  std::vector<double> each(shares.parts);
  run_parts(shares.parts, shares.threads,
            [&](int t) { each[t] = rows->pairs_ahead(s, primal, dual, shares.begin(t), shares.begin(t + 1)); });
  double total = 0.0;
  for (double part : each) total += part;
  return total;
}

void pairs_move(const PairState& s, double primal, double dual) {
  const Shares shares(s.m);
  run_parts(shares.parts, shares.threads,
            [&](int t) { rows->pairs_move(s, primal, dual, shares.begin(t), shares.begin(t + 1)); });
}

double curvature(const Matrix& X, const double* h, const Index* columns, Index width, double* H, double* mixed) {
  std::vector<Index> chosen, places;
  double sum = 0.0;
  for (Index i = 0; i < X.n; i++)
    if (h[i] != 0.0) chosen.push_back(i), sum += h[i];
  if (columns && X.layout == Layout::csr) {
    places.assign(X.d, -1);
    for (Index j = 0; j < width; j++) places[columns[j]] = j;
  }
  if (width == 0) return sum;
  const Index count = static_cast<Index>(chosen.size()), size = width * width;
  // Each thread has an H of its own; that must not cost more than the products.
  Index threads = 1;
#ifdef _OPENMP
  Index work = count * size / 2;
  if (X.layout == Layout::csr && X.n > 0) {
    const Index each = (work_before(X, X.n) / X.n) * width / std::max<Index>(X.d, 1) + 1;
    work = count * (4 * each + each * each);
  }
  threads = std::min<Index>({omp_get_max_threads(), work >> 17, work / (4 * std::max<Index>(size, 1))});
  threads = std::max<Index>(threads, 1);
#endif
  const Index scratch_size = rows->curvature_scratch(X, width);
  // Kept from call to call, see add_up.
  thread_local std::vector<double> kept;
  const Index needed = (threads - 1) * (size + width) + threads * scratch_size;
  if (kept.size() < static_cast<std::size_t>(needed)) kept.resize(needed);
  double *others = kept.data(), *scratch = others + (threads - 1) * (size + width);
  std::fill(others, scratch, 0.0);
  std::fill(H, H + size, 0.0);
  std::fill(mixed, mixed + width, 0.0);
  run_parts(static_cast<int>(threads), static_cast<int>(threads), [&](int t) {
    const Index lo = count * t / threads, hi = count * (t + 1) / threads;
    double* mine = t == 0 ? H : others + (t - 1) * (size + width);
    const Chosen of{chosen.data() + lo, hi - lo, columns, places.empty() ? nullptr : places.data(), width};
    rows->curvature(X, of, h, mine, t == 0 ? mixed : mine + size, scratch + t * scratch_size);
  });
  for (Index t = 1; t < threads; t++) {
    const double* theirs = others + (t - 1) * (size + width);
    for (Index k = 0; k < size; k++) H[k] += theirs[k];
    for (Index j = 0; j < width; j++) mixed[j] += theirs[size + j];
  }
  mirror(H, width);
  return sum;
}

}  // namespace pdprox
