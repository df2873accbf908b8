#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace twofold {

/// Whether `text` is `pattern`, in which one '*' may stand for any text: "LC_*",
/// "coll_*_algorithm".
constexpr bool Matches(std::string_view text, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  const std::string_view head = pattern.substr(0, star);
  const std::string_view tail = pattern.substr(star + 1);
  return text.size() >= head.size() + tail.size() && text.starts_with(head) && text.ends_with(tail);
}

/// Whether `text` matches one of `patterns`.
template <typename Patterns>
bool MatchesAny(std::string_view text, const Patterns& patterns) {
  return std::any_of(std::begin(patterns), std::end(patterns),
                     [&](std::string_view pattern) { return Matches(text, pattern); });
}

/// Whether `text` is whole digits, 15 at most and not with a zero in front, and then one of `units`
/// and nothing else: "30s", "4k". What is such a text can stand in a line of a tool's file.
bool IsQuantity(std::string_view text, std::span<const std::string_view> units);

/// The one of `known` that `word` is most like: of the fewest letters to insert, delete, replace
/// or swap with the next, a third of the word's at most; letters in upper and lower case are equal.
/// Empty: it is like none of them. Source: F. J. Damerau, 1964.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> known);

/// "; did you mean 'streams'?" with the nearest of `known`. If none is near: "; known: a, b, c".
std::string Hint(std::string_view word, std::span<const std::string_view> known);

}  // namespace twofold
