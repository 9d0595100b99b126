#include "pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace pdprox {

namespace {

// How long an idle helper looks for work before it sleeps: about the pause between two steps of a method.
constexpr auto patience = std::chrono::microseconds(50);

// What fits into the bits of a ticket; one bit too many would claim a job that nobody runs.
constexpr int most_threads = 256, most_parts = 0xffff;

void breathe() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

class Pool {
 public:
  void run(int parts, int threads, const std::function<void(int)>& body) {
    std::unique_lock<std::mutex> alone(busy_, std::try_to_lock);
    if (!alone.owns_lock()) {
      for (int part = 0; part < parts; part++) body(part);
      return;
    }
    try {
      for (; helpers_ < threads - 1; helpers_++) std::thread(&Pool::help, this, helpers_).detach();
    } catch (const std::system_error&) {
      // No more threads to be had: fewer helpers, the same result.
    }
    body_ = &body;
    done_.store(0, std::memory_order_relaxed);
    // One number holds which job, how many may help, how many parts it has, and the next part to claim.  A late
    // helper finds either parts left of this very job or nothing to do.
    job_++;
    ticket_.store(pack(job_, threads - 1, parts, 0), std::memory_order_release);
    {
      std::lock_guard<std::mutex> guard(sleep_);
      if (asleep_ > 0) wake_.notify_all();
    }
    work(job_);
    for (int spins = 0; done_.load(std::memory_order_acquire) < parts; spins++) {
      if (spins < 4096) breathe();
      else std::this_thread::yield();
    }
  }

 private:
  // 24 bits of job, 8 of helpers, 16 of parts, 16 of the next part.
  static std::uint64_t pack(std::uint64_t job, int helpers, int parts, int next) {
    return (job & 0xffffff) << 40 | static_cast<std::uint64_t>(helpers) << 32 |
           static_cast<std::uint64_t>(parts) << 16 | static_cast<std::uint64_t>(next);
  }
  static std::uint64_t job_of(std::uint64_t ticket) { return ticket >> 40; }
  static int helpers_of(std::uint64_t ticket) { return static_cast<int>(ticket >> 32 & 0xff); }
  static int parts_of(std::uint64_t ticket) { return static_cast<int>(ticket >> 16 & 0xffff); }
  static int next_of(std::uint64_t ticket) { return static_cast<int>(ticket & 0xffff); }

  // Claims and runs parts of this job until none is left.
  void work(std::uint64_t job) {
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (job_of(ticket) == (job & 0xffffff) && next_of(ticket) < parts_of(ticket)) {
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
      (*body_)(next_of(ticket));  // the claim keeps the caller waiting, and so the body alive
      done_.fetch_add(1, std::memory_order_release);
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  static bool open_to(std::uint64_t ticket, int helper) {
    return helper < helpers_of(ticket) && next_of(ticket) < parts_of(ticket);
  }

  void help(int helper) {
    for (;;) {
      auto until = std::chrono::steady_clock::now() + patience;
      std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
      while (!open_to(ticket, helper)) {
        for (int k = 0; k < 64; k++) breathe();
        ticket = ticket_.load(std::memory_order_acquire);
        if (open_to(ticket, helper) || std::chrono::steady_clock::now() < until) continue;
        std::unique_lock<std::mutex> guard(sleep_);
        asleep_++;
        wake_.wait(guard, [&] { return open_to(ticket = ticket_.load(std::memory_order_acquire), helper); });
        asleep_--;
      }
      work(job_of(ticket));
    }
  }

  std::mutex busy_, sleep_;
  std::condition_variable wake_;
  int helpers_ = 0, asleep_ = 0;
  std::uint64_t job_ = 0;
  const std::function<void(int)>* body_ = nullptr;
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<int> done_{0};
};

Pool* pool = nullptr;
std::once_flag once;

// Helpers do not outlive a fork; the child starts with a pool of its own.  Pools are never destroyed: helpers may
// be asleep in them when the process ends.
void make_pool() {
  pool = new Pool;
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
#endif
}

}  // namespace

void run_parts(int parts, int threads, const std::function<void(int)>& body) {
  if (threads <= 1 || parts > most_parts) {
    for (int part = 0; part < parts; part++) body(part);
    return;
  }
  std::call_once(once, make_pool);
  pool->run(parts, std::min(threads, most_threads), body);
}

}  // namespace pdprox
