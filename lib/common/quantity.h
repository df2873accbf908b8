#pragma once

#include <span>
#include <string_view>

namespace twofold {

/// Whether `text` is whole digits, 15 at most and not with a zero in front, and then one of `units`
/// and nothing else: "30s", "4k". What is such a text can stand in a line of a tool's file.
bool IsQuantity(std::string_view text, std::span<const std::string_view> units);

}  // namespace twofold
