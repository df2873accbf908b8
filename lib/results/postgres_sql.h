#pragma once

#include <string>
#include <string_view>

namespace twofold::results {

/// SQL as PostgreSQL takes it: `?` and `?1` become `$1`, except in texts. As in SQLite, `?` is one
/// more than the highest parameter before it.
std::string WithDollars(const std::string& sql);

/// The text if PostgreSQL can store it. Otherwise in `buffer`, with U+FFFD for each NUL and each
/// byte that is not UTF-8.
std::string_view Storable(std::string_view text, std::string& buffer);

}  // namespace twofold::results
