#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::report {

struct PngOptions {
  double zoom = 2.0;  ///< pixels for each of the SVG's
  Duration timeout = std::chrono::seconds(60);
  std::size_t most_bytes = 256 << 20;  ///< of the SVG, and of the PNG
  std::string path = {};  ///< where rsvg-convert is looked for, as PATH has it; empty: our PATH
};

/// An SVG as PNG, by the program rsvg-convert, which is killed when its time or size is over.
///
/// Threads  Blocks. The thread must live until it returns (see process::Spawn). In a program with a
///          process::Reaper, which takes all children, use a thread or process without.
/// Errors   kUnavailable: rsvg-convert is not installed; the message names the package.
///          kDeadlineExceeded, kResourceExhausted: which limit. kInternal: what it printed.
Result<std::string> ToPng(std::string_view svg, const PngOptions& options = {});

}  // namespace twofold::report
