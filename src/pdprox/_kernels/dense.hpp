// Dense rows.  Both layouts are made of two loops over R strips of memory: `dots` multiplies each
// strip with one vector, `combine` adds a combination of the strips to one vector.  In C order the
// strips are rows of X, in Fortran order they are columns of a panel of rows.
//
// One thread waits for memory most of the time, so each loop also asks for half of the strips which
// are needed next; together the two loops ask for all of them, evenly spread over the time.
#pragma once

#include <cstdint>

#include "pack.hpp"
#include "rows.hpp"

namespace {

using pdprox::Index;

template <class T> constexpr Index line_of = 64 / sizeof(T);  // entries in a line of cache

template <class T> struct Strips {
  const T* start;
  Index stride, length;
  Index head;      // entries before the first full line of cache
  const T* ahead;  // what to prefetch
};

// Entries before the first full line of cache, if that is the same for all strips, else 0.
template <class T> Index head_of(const T* start, Index stride, Index length) {
  Index past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(start) % 64 / sizeof(T));
  if (stride % line_of<T> != 0 || past == 0) return 0;
  return line_of<T> - past < length ? line_of<T> - past : length;
}

// Calls edge(j, k) for short pieces at both ends and body(j) for full lines between them.
template <int F, class T, class Body, class Edge>
inline void walk(const Strips<T>& x, const T* ahead, Body body, Edge edge) {
  auto edges = [&](Index j, Index end) {
    for (; j < end; j += W) edge(j, end - j < W ? static_cast<int>(end - j) : W);
  };
  if (x.head) edges(0, x.head);
  Index j = x.head, p = 0;
  for (; j + line_of<T> <= x.length; j += line_of<T>, p += line_of<T>) {
    for (int f = 0; f < F; f++) prefetch(ahead + f * x.stride + p);
    for (Index k = 0; k < line_of<T>; k += W) body(j + k);
  }
  for (; F && p < x.length; p += line_of<T>)
    for (int f = 0; f < F; f++) prefetch(ahead + f * x.stride + p);
  edges(j, x.length);
}

// result[r] = strip r . v
template <int R, int F, class T> inline void dots(const Strips<T>& x, const double* v, double* result) {
  Pack total[R];
  for (int r = 0; r < R; r++) total[r] = zero();
  walk<F>(
      x, x.ahead,
      [&](Index j) {
        Pack a = load(v + j);
        for (int r = 0; r < R; r++) total[r] = fma(load(x.start + r * x.stride + j), a, total[r]);
      },
      [&](Index j, int k) {
        Pack a = load(v + j, k);
        for (int r = 0; r < R; r++) total[r] = fma(load(x.start + r * x.stride + j, k), a, total[r]);
      });
  for (int r = 0; r < R; r++) result[r] = sum(total[r]);
}

// v += sum_r factor[r] * strip r
template <int R, int F, class T> inline void combine(const Strips<T>& x, const double* factor, double* v) {
  Pack by[R];
  for (int r = 0; r < R; r++) by[r] = spread(factor[r]);
  walk<F>(
      x, x.ahead + (R - F) * x.stride,
      [&](Index j) {
        Pack a = load(v + j);
        for (int r = 0; r < R; r++) a = fma(load(x.start + r * x.stride + j), by[r], a);
        store(v + j, a);
      },
      [&](Index j, int k) {
        Pack a = load(v + j, k);
        for (int r = 0; r < R; r++) a = fma(load(x.start + r * x.stride + j, k), by[r], a);
        store(v + j, a, k);
      });
}

}  // namespace
