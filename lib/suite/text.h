#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/printable.h"
#include "lib/suite/suite.h"

/// Small tools for parsers. Pure. Views point into the text that was given.
namespace twofold::suite {

/// The lines of what a program printed, without line ends; a carriage return ends one, too, as
/// progress is shown that way. The last one need not have an end.
std::vector<std::string_view> Lines(std::string_view text);

/// Calls `use` with each line of `text` and its end: "\n", or "" of a last line that has none.
template <typename Use>
void ForEachLine(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool ended = end != std::string_view::npos;
    use(text.substr(0, end), ended ? "\n" : "");
    text.remove_prefix(ended ? end + 1 : text.size());
  }
}

/// What stands between blanks and tabs.
std::vector<std::string_view> Words(std::string_view line);

/// Without blanks and tabs around it.
std::string_view Strip(std::string_view text);

/// A number from its first character to its last, whatever the locale; nullopt for all else,
/// infinities and NaN too.
std::optional<double> ToNumber(std::string_view text);

/// A number of a table, where tools written in C also print "inf" and "-nan": such a number is not
/// finite, and AddTable leaves its row out. nullopt: it is no number.
std::optional<double> ToCell(std::string_view text);

/// A number at the start of `text`, which then is what follows it: "1.5x" leaves "x".
std::optional<double> TakeNumber(std::string_view& text);

/// What follows `prefix` in `line`; nullopt if it does not start so.
std::optional<std::string_view> After(std::string_view line, std::string_view prefix);

/// Text of anybody as part of an error: one line, printable, not too long. Control characters are
/// escaped ("\n"), quotes stay as they are, and what has been made so is not changed again.
std::string Quoted(std::string_view text);

/// The version in what a program has printed when asked: its first line that is not empty.
std::string VersionIn(std::string_view output);

/// "exit code 3", "killed by signal 9"; empty if the stage ended well, or if that is not known.
std::string BadEnd(const StageOutput& output);

/// The errors of Suite::parse.
Status ToolFailed(std::string_view stage, std::string_view reason);
Status Unreadable(std::string_view stage, std::string_view reason);

/// The name of a stage, or `otherwise` if it is not known.
std::string StageName(const StageOutput& output, std::string_view otherwise);

/// Whether `is` holds for one of the lines of `text`.
template <typename Is>
bool AnyLine(std::string_view text, Is&& is) {
  const auto lines = Lines(text);
  return std::any_of(lines.begin(), lines.end(), is);
}

/// Whether `word` is one of `words`, or `line` contains one of them.
bool IsOneOf(std::string_view word, std::span<const std::string_view> words);
bool HasAny(std::string_view line, std::span<const std::string_view> words);

/// The first line that contains one of `words`; empty: none does.
std::string_view LineWith(std::string_view text, std::span<const std::string_view> words);

/// What stands between separators: one field more than there are separators.
std::vector<std::string_view> SplitAt(char separator, std::string_view line);

/// "9 TiB", "23.4 GiB", "512 B".
std::string BytesText(double bytes);

}  // namespace twofold::suite
