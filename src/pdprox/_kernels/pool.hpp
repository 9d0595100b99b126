// Threads that help the caller, and that it never waits for unless they have begun something.
#pragma once

#include <functional>

namespace pdprox {

// Runs body(0), ..., body(parts - 1), on the calling thread and on up to `threads` - 1 helpers.  Parts are claimed
// one after the other, so a helper that the system does not let run costs nothing: the caller does its share.
// (An OpenMP team meets at barriers instead; with another process on one of two cores that was 15 times slower than
// one thread.)  Who runs a part is left to chance, so results must depend on the parts alone.  Safe to call from
// several threads at once, where the second caller works alone, and after a fork.
void run_parts(int parts, int threads, const std::function<void(int)>& body);

}  // namespace pdprox
