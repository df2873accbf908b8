#include "lib/process/progress_reader.h"

#include <algorithm>
#include <charconv>

#include "lib/common/printable.h"

namespace twofold::process {
namespace {

constexpr std::size_t kMostText = 200;
constexpr std::size_t kMostLine = kMostText + 64;  // with the number before it

}  // namespace

std::optional<ProgressLine> ParseProgress(std::string_view line) {
  ProgressLine progress;
  const char* const end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, progress.fraction);
  const bool good = error == std::errc() && (after == end || *after == ' ' || *after == '\t') &&
                    progress.fraction >= 0 && progress.fraction <= 1;
  if (!good) return std::nullopt;
  const std::string_view text = line.substr(static_cast<std::size_t>(after - line.data()));
  progress.text =
      Printable(text.substr(std::min(text.size(), text.find_first_not_of(" \t"))), kMostText);
  return progress;
}

std::optional<ProgressLine> ProgressReader::Append(std::string_view bytes) {
  std::optional<ProgressLine> newest;
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), bytes.find('\n'));
    line_.append(bytes.substr(0, std::min(length, kMostLine - line_.size())));
    if (length == bytes.size()) break;
    if (auto progress = ParseProgress(line_)) newest = std::move(progress);
    line_.clear();
    bytes.remove_prefix(length + 1);
  }
  return newest;
}

}  // namespace twofold::process
