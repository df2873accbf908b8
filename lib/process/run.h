#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/process/spawn.h"

namespace twofold::process {

/// How long a program may run, and how much it may write.
struct RunBounds {
  Duration timeout{};
  std::size_t most_bytes = 1 << 20;          ///< of stdout, and of stderr
  std::function<bool()> given_up = nullptr;  ///< asked again and again while it runs
};

/// A program that has run.
struct Ran {
  Status killed = {};  ///< OK: it has ended by itself; else why it was killed
  Exit exit = {};
  std::string out = {};     ///< what it wrote to stdout
  std::string errors = {};  ///< the end of what it wrote to stderr, fit for one line
};

/// Runs a program with `input` as its stdin (none: /dev/null) until it ends. It and all that it has
/// started are killed then, or when it is out of bounds.
///
/// Threads  Blocks. Where a Reaper takes all children, the exit is not known and is 0.
/// Errors   Those of Spawn; kResourceExhausted: there is no memory for what it reads and writes.
///          In `killed`: kDeadlineExceeded, kResourceExhausted: it wrote too much, kCancelled.
Result<Ran> Run(Program program, std::string_view input, const RunBounds& bounds);

}  // namespace twofold::process
