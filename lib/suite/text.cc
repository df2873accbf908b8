#include "lib/suite/text.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <charconv>
#include <cmath>

namespace twofold::suite {
namespace {

constexpr std::size_t kMostQuoted = 200;

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) return parts;
    text.remove_prefix(start);
    parts.push_back(text.substr(0, text.find_first_of(separators)));
    text.remove_prefix(parts.back().size());
  }
}

}  // namespace

std::vector<std::string_view> Lines(std::string_view text) { return Split(text, "\r\n"); }

std::vector<std::string_view> Words(std::string_view line) { return Split(line, " \t"); }

std::string_view Strip(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") + 1 - start);
}

std::optional<double> TakeNumber(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<double> ToNumber(std::string_view text) {
  const auto value = TakeNumber(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<double> ToCell(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [past, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || past != end) return std::nullopt;
  return value;
}

std::optional<std::string_view> After(std::string_view line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return std::nullopt;
  return line.substr(prefix.size());
}

std::string Quoted(std::string_view text) {
  text = Strip(text);
  const bool whole = text.size() <= kMostQuoted;
  std::string shown;
  for (const char c : text.substr(0, kMostQuoted)) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    absl::StrAppend(&shown, is_control ? absl::CEscape(std::string(1, c)) : std::string(1, c));
  }
  return Printable(shown, shown.size()) + (whole ? "" : "...");
}

std::string VersionIn(std::string_view output) {
  constexpr std::size_t kMostVersion = 120;
  for (const std::string_view line : Lines(output)) {
    if (!Strip(line).empty()) return Printable(Strip(line), kMostVersion);
  }
  return {};
}

std::string BadEnd(const StageOutput& output) {
  if (output.signal != 0) return absl::StrCat("killed by signal ", output.signal);
  if (output.exit_code.value_or(0) != 0) return absl::StrCat("exit code ", *output.exit_code);
  return {};
}

Status ToolFailed(std::string_view stage, std::string_view reason) {
  return absl::AbortedError(absl::StrCat(std::string(stage), ": ", Quoted(reason)));
}

Status Unreadable(std::string_view stage, std::string_view reason) {
  return absl::DataLossError(absl::StrCat(std::string(stage), ": ", Quoted(reason)));
}

std::string StageName(const StageOutput& output, std::string_view otherwise) {
  return output.stage.empty() ? std::string(otherwise) : output.stage;
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool HasAny(std::string_view line, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return line.find(word) != std::string_view::npos;
  });
}

std::string_view LineWith(std::string_view text, std::span<const std::string_view> words) {
  for (const std::string_view line : Lines(text)) {
    if (HasAny(line, words)) return line;
  }
  return {};
}

std::vector<std::string_view> SplitAt(char separator, std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t end = line.find(separator); end != line.npos; end = line.find(separator)) {
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  fields.push_back(line);
  return fields;
}

std::string BytesText(double bytes) {
  constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  const auto* unit = std::begin(kUnits);
  for (; bytes >= 1024 && unit + 1 != std::end(kUnits); ++unit) bytes /= 1024;
  return NumberText(std::round(10 * bytes) / 10) + *unit;
}

}  // namespace twofold::suite
