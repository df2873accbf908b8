#include "lib/suite/document.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "lib/suite/plausible.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

// ---- Bytes

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kUtf16Marks[] = {"\xff\xfe", "\xfe\xff"};

// "\x1b[1;31m" at the start of `text`: its length; 0: it is none.
std::size_t ColourAt(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end == std::string_view::npos ? 0 : end + 1;
}

// Lines that end with '\n', without colours.
std::string PlainLines(std::string_view text) {
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t skipped = text.starts_with("\r\n") ? 1
                                : text[0] == '\x1b'      ? ColourAt(text)
                                                         : 0;
    if (skipped == 0) plain += text[0] == '\r' ? '\n' : text[0];
    text.remove_prefix(std::max<std::size_t>(1, skipped));
  }
  return plain;
}

// ---- Prefixes

// Each returns how long the prefix at the start of a line is; 0: there is none.
// "[pod/iperf-0/client] "
std::size_t PodPrefix(std::string_view line) {
  if (!line.starts_with("[pod/")) return 0;
  const std::size_t close = line.find(']');
  if (close == std::string_view::npos) return 0;
  return std::min(close + 2, line.size());
}

// "2026-11-20T23:41:55.123456789Z "
std::size_t TimePrefix(std::string_view line) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  if (line.size() <= kShape.size()) return 0;
  const auto fits = [](char shape, char c) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  };
  if (!std::equal(kShape.begin(), kShape.end(), line.begin(), fits)) return 0;
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view zone = line.substr(kShape.size(), end - kShape.size());
  const bool is_zone = zone.find_first_not_of("0123456789.:+-Z") == std::string_view::npos &&
                       (zone.ends_with('Z') || zone.find_first_of("+-") != std::string_view::npos);
  return is_zone ? std::min(end + 1, line.size()) : 0;
}

// "[1,0]<stdout>:", and of later versions "[prterun-host-7@1,0]<stdout>: "
std::size_t RankPrefix(std::string_view line) {
  constexpr std::size_t kMostName = 200;
  if (!line.starts_with('[')) return 0;
  const std::size_t close = line.substr(0, kMostName).find("]<std");
  const std::size_t colon = close == std::string_view::npos ? close : line.find(">:", close);
  if (colon == std::string_view::npos || line.find(' ') < close) return 0;
  return colon + 2;
}

struct Prefix {
  std::size_t (*length)(std::string_view line);
  const char* source;
  bool everywhere;  ///< it stands on nearly all lines, or is no prefix
};
constexpr Prefix kPrefixes[] = {{PodPrefix, "kubectl logs --prefix", true},
                                {TimePrefix, "kubectl logs --timestamps", true},
                                {RankPrefix, "mpirun --tag-output", false}};

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

bool IsThere(const Prefix& prefix, std::string_view text) {
  std::size_t with = 0;
  std::size_t without = 0;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    if (!Strip(line).empty()) ++(prefix.length(line) > 0 ? with : without);
  });
  return with > (prefix.everywhere ? without : 0);
}

std::string Without(const Prefix& prefix, std::string_view text, std::set<std::string>& found) {
  std::string rest;
  rest.reserve(text.size());
  ForEachLine(text, [&](std::string_view line, std::string_view end) {
    const std::size_t length = prefix.length(line);
    if (length > 0) found.emplace(Strip(line.substr(0, length)));
    absl::StrAppend(&rest, std::string(line.substr(length)), std::string(end));
  });
  return rest;
}

// ---- Indentation

std::size_t CommonIndentation(std::string_view text) {
  std::optional<std::string_view> common;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    const std::size_t size = line.find_first_not_of(" \t");
    if (size == std::string_view::npos) return;
    if (!common) common = line.substr(0, size);
    const auto [end, ignored] =
        std::mismatch(common->begin(), common->end(), line.begin(), line.begin() + size);
    common = common->substr(0, static_cast<std::size_t>(end - common->begin()));
  });
  return common.value_or("").size();
}

std::string WithoutIndentation(const std::string& text) {
  const std::size_t size = CommonIndentation(text);
  if (size == 0) return text;
  std::string rest;
  ForEachLine(text, [&](std::string_view line, std::string_view end) {
    absl::StrAppend(&rest, std::string(line.substr(std::min(size, line.size()))), std::string(end));
  });
  return rest;
}

// ---- Outputs

Result<Outputs> Clean(const Outputs& outputs, std::vector<std::string>& notes) {
  Outputs clean = outputs;
  for (StageOutput& stage : clean.stages) {
    for (std::string* text : {&stage.out, &stage.err}) {
      auto cleaned = CleanText(*text, notes);
      if (!cleaned.ok()) {
        return Unreadable(StageName(stage, "read"), std::string(cleaned.status().message()));
      }
      *text = *std::move(cleaned);
    }
  }
  return clean;
}

std::size_t LineNumber(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

}  // namespace

void Skipped::Add(std::string_view line) {
  if (count_++ == 0) first_ = Quoted(line);
}

void Skipped::SayIn(std::vector<std::string>& notes) const {
  if (count_ == 0) return;
  notes.push_back(absl::StrCat(count_, count_ == 1 ? " line" : " lines",
                               " around its rows skipped, such as: ", first_));
}

Result<std::string> CleanText(std::string_view text, std::vector<std::string>& notes) {
  for (const std::string_view mark : kUtf16Marks) {
    if (text.starts_with(mark) && text.find('\0') != std::string_view::npos) {
      return absl::DataLossError("its text is UTF-16, as PowerShell's > writes it: make it UTF-8");
    }
  }
  std::string clean = PlainLines(text);
  for (const Prefix& prefix : kPrefixes) {
    if (!IsThere(prefix, clean)) continue;
    std::set<std::string> found;
    clean = Without(prefix, clean, found);
    if (prefix.length == PodPrefix && found.size() > 1) {
      return absl::DataLossError(absl::StrCat("lines of ", found.size(), " containers, such as ",
                                              *found.begin(), " and ", *found.rbegin(),
                                              ": save the output of each by itself"));
    }
    notes.push_back(absl::StrCat("a prefix on its lines skipped, as of ", prefix.source));
  }
  return WithoutIndentation(clean);
}

std::vector<std::size_t> LinesWhere(std::string_view text,
                                    const std::function<bool(std::string_view line)>& begins) {
  std::vector<std::size_t> starts;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    if (begins(line)) starts.push_back(static_cast<std::size_t>(line.data() - text.data()));
  });
  return starts;
}

std::vector<std::string_view> SplitAtRuns(std::string_view text,
                                          const std::vector<std::size_t>& starts) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    parts.push_back(text.substr(begin, starts[i] - begin));
    begin = starts[i];
  }
  parts.push_back(text.substr(begin));
  return parts;
}

Status SeveralRuns(std::string_view stage, std::string_view text,
                   const std::vector<std::size_t>& starts) {
  constexpr std::size_t kMostShown = 5;
  std::vector<std::string> lines;
  for (const std::size_t start : starts) {
    if (lines.size() < kMostShown) lines.push_back(absl::StrCat(LineNumber(text, start)));
  }
  return Unreadable(
      stage, absl::StrCat(starts.size(), " runs in one document, which begin at lines ",
                          absl::StrJoin(lines, ", "), starts.size() > kMostShown ? " ..." : "",
                          "; `twofold parse --each-run` reads them one by one"));
}

Result<Measurements> ReadBy(Result<Measurements> (*parse)(const Outputs&),
                            std::vector<std::size_t> (*runs)(std::string_view),
                            const Outputs& outputs) {
  std::vector<std::string> notes;
  const Result<Outputs> clean = Clean(outputs, notes);
  if (!clean.ok()) return clean.status();
  for (const StageOutput& stage : clean->stages) {
    if (runs == nullptr) break;
    const auto starts = runs(stage.out);
    if (starts.size() > 1) return SeveralRuns(StageName(stage, "read"), stage.out, starts);
  }
  Result<Measurements> numbers = parse(*clean);
  if (!numbers.ok()) return numbers;
  if (Status status = KeepPlausible(*numbers); !status.ok()) return status;
  numbers->notes.insert(numbers->notes.begin(), notes.begin(), notes.end());
  return numbers;
}

}  // namespace twofold::suite
