#include "kubernetes/operator/log_tail.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/common/printable.h"
#include "lib/suite/text.h"

namespace twofold::benchmarks {
namespace {

/// From the first line that begins there; of one long line from its first whole character.
std::string_view End(std::string_view log, std::size_t most) {
  if (log.size() <= most) return log;
  const bool is_at_line = log[log.size() - most - 1] == '\n';
  log.remove_prefix(log.size() - most);
  if (is_at_line) return log;
  const std::size_t line = log.find('\n');
  const bool has_more = line != std::string_view::npos && line + 1 < log.size();
  if (has_more) return log.substr(line + 1);
  constexpr auto kIsInside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  log.remove_prefix(
      static_cast<std::size_t>(std::find_if_not(log.begin(), log.end(), kIsInside) - log.begin()));
  return log;
}

/// A tab is a space then. It becomes no longer.
std::string Cleaned(std::string_view log) {
  std::string clean;
  for (const std::string_view line : suite::SplitAt('\n', log)) {
    if (line.data() != log.data()) clean += '\n';
    clean += Printable(line, line.size());
  }
  return clean;
}

std::string NoteOf(std::uint64_t left_out, std::string_view command) {
  return absl::StrCat("(", left_out, " bytes before this are left out: `", std::string(command),
                      "` shows all)\n");
}

}  // namespace

std::string LogTail(std::string_view log, std::uint64_t bytes, std::string_view command) {
  if (log.size() <= kLogBytes && log.size() >= bytes) return Cleaned(log);
  const std::size_t longest_note = NoteOf(bytes, command).size();
  const std::string_view end = End(log, kLogBytes - std::min(longest_note, kLogBytes));
  return NoteOf(bytes - std::min<std::uint64_t>(end.size(), bytes), command) + Cleaned(end);
}

}  // namespace twofold::benchmarks
