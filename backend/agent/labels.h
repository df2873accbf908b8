#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace twofold::backend {

using Labels = std::map<std::string, std::string>;

inline constexpr std::size_t kMaxLabels = 64;  ///< of a worker

/// What is wrong with `label` as KEY=VALUE; empty if nothing is. A key is 1 to 253 letters, digits,
/// '-', '_', '.' and '/', beginning and ending with a letter or digit; a value up to 253 printable
/// ASCII characters.
std::string CheckLabel(const std::string& label);

/// The labels `KEY=VALUE,KEY=VALUE` in `list` (empty: none), then those of `labels`: the last one
/// of a key counts.
/// Errors   kInvalidArgument: the label that is none, or that there are too many.
Result<Labels> MakeLabels(std::string_view list, const std::vector<std::string>& labels);

}  // namespace twofold::backend
