#include "lib/suite/document.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/plausible.h"
#include "lib/suite/prefixes.h"
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

Result<Outputs> Clean(const Outputs& outputs, std::span<const std::string_view> keys,
                      std::vector<std::string>& notes) {
  Outputs clean = outputs;
  for (StageOutput& stage : clean.stages) {
    for (std::string* text : {&stage.out, &stage.err}) {
      auto cleaned = CleanText(*text, notes, keys);
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

Result<std::string> CleanText(std::string_view text, std::vector<std::string>& notes,
                              std::span<const std::string_view> keys) {
  for (const std::string_view mark : kUtf16Marks) {
    if (text.starts_with(mark) && text.find('\0') != std::string_view::npos) {
      return absl::DataLossError("its text is UTF-16, as PowerShell's > writes it: make it UTF-8");
    }
  }
  auto clean = WithoutPrefixes(PlainLines(WithoutWrapping(PlainLines(text), notes)), notes);
  if (!clean.ok()) return clean;
  return WithoutIndentation(WithoutOtherObjects(*std::move(clean), keys, notes));
}

std::vector<std::size_t> LinesWhere(std::string_view text,
                                    const std::function<bool(std::string_view line)>& begins) {
  std::vector<std::size_t> starts;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    if (begins(line)) starts.push_back(static_cast<std::size_t>(line.data() - text.data()));
  });
  return starts;
}

std::vector<SignAt> SignsOfLines(std::string_view text,
                                 const std::function<Sign(std::string_view line)>& sign_of) {
  std::vector<SignAt> signs;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    const Sign sign = sign_of(line);
    if (sign == Sign::kNone) return;
    signs.push_back({static_cast<std::size_t>(line.data() - text.data()), sign});
  });
  return signs;
}

std::vector<std::size_t> RunsBy(std::vector<SignAt> signs) {
  std::stable_sort(signs.begin(), signs.end(),
                   [](const SignAt& a, const SignAt& b) { return a.offset < b.offset; });
  std::vector<std::size_t> starts;
  std::optional<std::size_t> before;  // the first line that belongs to the next beginning
  bool begun = false;
  bool has_results = false;
  for (const auto& [offset, sign] : signs) {
    if (sign == Sign::kBefore) {
      if (!before) before = offset;
      continue;
    }
    if (sign == Sign::kEnds) {
      begun = begun && !has_results;
    } else if (sign == Sign::kBegins || !begun) {
      starts.push_back(sign == Sign::kBegins ? before.value_or(offset) : offset);
      begun = true;
      has_results = false;
    }
    has_results = has_results || sign == Sign::kResult;
    before.reset();
  }
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
                            std::span<const std::string_view> keys, const Outputs& outputs) {
  std::vector<std::string> notes;
  const Result<Outputs> clean = Clean(outputs, keys, notes);
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
