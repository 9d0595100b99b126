// Pack: W doubles in one register, and the few things the kernels do with them.
// One definition for each instruction set; rows.cpp is compiled once for each.
#pragma once

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)

constexpr int W = 8;
using Pack = __m512d;
inline __mmask8 first(int k) { return static_cast<__mmask8>((1u << k) - 1u); }
inline Pack zero() { return _mm512_setzero_pd(); }
inline Pack spread(double a) { return _mm512_set1_pd(a); }
inline Pack load(const double* p) { return _mm512_loadu_pd(p); }
inline Pack load(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
inline Pack load(const double* p, int k) { return _mm512_maskz_loadu_pd(first(k), p); }
inline Pack load(const float* p, int k) { return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(first(k), p)); }
inline void store(double* p, Pack a) { _mm512_storeu_pd(p, a); }
inline void store(double* p, Pack a, int k) { _mm512_mask_storeu_pd(p, first(k), a); }
inline Pack fma(Pack a, Pack b, Pack c) { return _mm512_fmadd_pd(a, b, c); }
inline double sum(Pack a) { return _mm512_reduce_add_pd(a); }

#elif defined(__AVX2__)

constexpr int W = 4;
using Pack = __m256d;
inline __m128i first(int k) { return _mm_cmpgt_epi32(_mm_set1_epi32(k), _mm_setr_epi32(0, 1, 2, 3)); }
inline __m256i first_wide(int k) { return _mm256_cvtepi32_epi64(first(k)); }
inline Pack zero() { return _mm256_setzero_pd(); }
inline Pack spread(double a) { return _mm256_set1_pd(a); }
inline Pack load(const double* p) { return _mm256_loadu_pd(p); }
inline Pack load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
inline Pack load(const double* p, int k) { return _mm256_maskload_pd(p, first_wide(k)); }
inline Pack load(const float* p, int k) { return _mm256_cvtps_pd(_mm_maskload_ps(p, first(k))); }
inline void store(double* p, Pack a) { _mm256_storeu_pd(p, a); }
inline void store(double* p, Pack a, int k) { _mm256_maskstore_pd(p, first_wide(k), a); }
inline Pack fma(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
inline double sum(Pack a) {
  __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

#elif defined(__x86_64__) || defined(_M_X64)

constexpr int W = 2;
using Pack = __m128d;
inline Pack zero() { return _mm_setzero_pd(); }
inline Pack spread(double a) { return _mm_set1_pd(a); }
inline Pack load(const double* p) { return _mm_loadu_pd(p); }
inline Pack load(const float* p) {
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
inline Pack load(const double* p, int k) { return k == 2 ? load(p) : _mm_load_sd(p); }
inline Pack load(const float* p, int k) { return k == 2 ? load(p) : _mm_set_sd(*p); }
inline void store(double* p, Pack a) { _mm_storeu_pd(p, a); }
inline void store(double* p, Pack a, int k) { k == 2 ? _mm_storeu_pd(p, a) : _mm_store_sd(p, a); }
inline Pack fma(Pack a, Pack b, Pack c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
inline double sum(Pack a) { return _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a))); }

#else

// No x86: two lanes in plain C++, which compilers turn into the registers of the machine.
constexpr int W = 2;
struct Pack {
  double lane[W];
};
inline Pack zero() { return {{0.0, 0.0}}; }
inline Pack spread(double a) { return {{a, a}}; }
template <class T> inline Pack load(const T* p) { return {{double(p[0]), double(p[1])}}; }
template <class T> inline Pack load(const T* p, int k) { return {{double(p[0]), k == 2 ? double(p[1]) : 0.0}}; }
inline void store(double* p, Pack a) { p[0] = a.lane[0], p[1] = a.lane[1]; }
inline void store(double* p, Pack a, int k) {
  p[0] = a.lane[0];
  if (k == 2) p[1] = a.lane[1];
}
inline Pack fma(Pack a, Pack b, Pack c) {
  return {{a.lane[0] * b.lane[0] + c.lane[0], a.lane[1] * b.lane[1] + c.lane[1]}};
}
inline double sum(Pack a) { return a.lane[0] + a.lane[1]; }

#endif

inline void prefetch(const void* p) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(p);
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
#else
  (void)p;
#endif
}

}  // namespace
