// Variables a in (0, J) with multipliers for both ends: see Pairs in samples/pairs.py for what the rows are.
#pragma once

#include "rows.hpp"

namespace {

using pdprox::Index;

// The rows of the state, each of length m.
struct PairRows {
  explicit PairRows(const pdprox::PairState& s) {
    double** each[] = {&v, &a, &rest, &low, &high, &unit, &dv, &da, &dlow, &dhigh, &rate, &low_target, &high_target,
                       &pushed};
    for (int k = 0; k < 14; k++) *each[k] = s.rows + k * s.m;
  }
  double *v, *a, *rest, *low, *high, *unit, *dv, *da, *dlow, *dhigh, *rate, *low_target, *high_target, *pushed;
};

void pairs_push(const pdprox::PairState& s, double tau, double both, Index lo, Index hi) {
  const PairRows p(s);
  for (Index i = lo; i < hi; i++) {
    const double a = p.a[i], rest = p.rest[i], goal = tau * p.unit[i], second = both * p.da[i];
    const double rate = 1.0 / (p.low[i] / a + p.high[i] / rest);
    const double low = (goal - second * p.dlow[i]) / a, high = (goal + second * p.dhigh[i]) / rest;
    p.rate[i] = rate, p.low_target[i] = low, p.high_target[i] = high;
    p.pushed[i] = rate * (p.v[i] + low - high);
  }
}

// The largest of -change / value, on both sides: what is negative does not matter, and NaN comes through as a limit.
pdprox::Limits pairs_follow(const pdprox::PairState& s, Index lo, Index hi) {
  const PairRows p(s);
  constexpr int lanes = 8;
  double primal[lanes] = {}, dual[lanes] = {};
  const auto one = [&](Index i, int u) {
    const double a = p.a[i], rest = p.rest[i], da = p.rate[i] * p.dv[i] + p.pushed[i];
    const double dlow = p.low_target[i] - p.low[i] - p.low[i] / a * da;
    const double dhigh = p.high_target[i] - p.high[i] + p.high[i] / rest * da;
    p.da[i] = da, p.dlow[i] = dlow, p.dhigh[i] = dhigh;
    const double down = -dlow / p.low[i], up = -dhigh / p.high[i], left = -da / a, right = da / rest;
    const double multipliers = down > up ? down : up, ends = left > right ? left : right;
    primal[u] = primal[u] >= multipliers ? primal[u] : multipliers;
    dual[u] = dual[u] >= ends ? dual[u] : ends;
  };
  Index i = lo;
  for (; i + lanes <= hi; i += lanes)
    for (int u = 0; u < lanes; u++) one(i + u, u);
  for (; i < hi; i++) one(i, 0);
  for (int u = 1; u < lanes; u++) {
    primal[0] = primal[0] >= primal[u] ? primal[0] : primal[u];
    dual[0] = dual[0] >= dual[u] ? dual[0] : dual[u];
  }
  return {primal[0], dual[0]};
}

double pairs_ahead(const pdprox::PairState& s, double primal, double dual, Index lo, Index hi) {
  const PairRows p(s);
  constexpr int lanes = 8;
  double total[lanes] = {};
  const auto one = [&](Index i, int u) {
    const double moved = dual * p.da[i];
    total[u] += ((p.a[i] + moved) * (p.low[i] + primal * p.dlow[i]) +
                 (p.rest[i] - moved) * (p.high[i] + primal * p.dhigh[i])) / p.unit[i];
  };
  Index i = lo;
  for (; i + lanes <= hi; i += lanes)
    for (int u = 0; u < lanes; u++) one(i + u, u);
  for (; i < hi; i++) one(i, 0);
  return ((total[0] + total[1]) + (total[2] + total[3])) + ((total[4] + total[5]) + (total[6] + total[7]));
}

void pairs_move(const pdprox::PairState& s, double primal, double dual, Index lo, Index hi) {
  const PairRows p(s);
  for (Index i = lo; i < hi; i++) {
    p.a[i] += dual * p.da[i], p.rest[i] -= dual * p.da[i];
    p.low[i] += primal * p.dlow[i], p.high[i] += primal * p.dhigh[i];
    p.v[i] += primal * p.dv[i];
  }
}

}  // namespace
