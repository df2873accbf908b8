#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"

/// Commands with --watch: what they show, again and again.
namespace twofold::cli {

/// Finds out what is to be shown now; ends with a line end.
using Look = std::function<Result<std::string>()>;

/// How a Repeat meets the world.
struct RepeatSurroundings {
  std::ostream& out;
  std::ostream& err;
  std::function<void()> clear;  ///< makes room in the place of what was shown before
  std::function<bool()> wait;   ///< until the next look is due; false: it was the last one
};

/// Shows what `look` finds until `wait` ends it. A frontend that goes away after the first look is
/// named on `err`, and asked again.
/// Errors   those of the first look; later all but kUnavailable and kDeadlineExceeded.
Status Repeat(const Look& look, const RepeatSurroundings& surroundings);

/// The same on stdout, until Ctrl-C: in place on a terminal, else one block after the other.
Status Repeat(const Look& look, Duration interval);

}  // namespace twofold::cli
