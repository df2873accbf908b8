#pragma once

#include <span>
#include <string>
#include <string_view>

namespace twofold::spec {

/// "; did you mean 'streams'?" with the one of `known` that `word` is most like, letters in upper
/// and lower case taken as equal. If none is near: "; known: a, b, c".
std::string Hint(std::string_view word, std::span<const std::string_view> known);

}  // namespace twofold::spec
