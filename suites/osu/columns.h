#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/suite/measurements.h"

namespace twofold::suite::osu {

/// A column of an OSU table, by what its heading says: positions differ between tests, options and
/// versions.
struct OsuColumn {
  Column column;
  bool primary = false;     ///< the best value of it is a headline
  bool validation = false;  ///< holds Pass or Fail
};

/// The columns of a heading, without its '#'; nullopt: it is none.
std::optional<std::vector<OsuColumn>> ReadHeading(std::string_view text);

}  // namespace twofold::suite::osu
