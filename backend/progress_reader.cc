#include "backend/progress_reader.h"

#include <algorithm>
#include <charconv>

namespace twofold::backend {
namespace {

constexpr std::size_t kMostText = 200;
constexpr std::size_t kMostLine = kMostText + 64;  // with the number before it

// Well-formed UTF-8 beyond ASCII: by the first byte, what the second may be (the rest is 80..BF)
// and how long it is in all.
struct Sequence {
  unsigned char first_least, first_most, second_least, second_most;
  std::size_t length;
};

constexpr Sequence kSequences[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

bool IsBetween(char c, unsigned char least, unsigned char most) {
  const auto byte = static_cast<unsigned char>(c);
  return least <= byte && byte <= most;
}

// Bytes of the character that `text` begins with; 0 if that is none.
std::size_t CharacterLength(std::string_view text) {
  if (IsBetween(text[0], 0, 0x7F)) return 1;
  for (const Sequence& sequence : kSequences) {
    if (!IsBetween(text[0], sequence.first_least, sequence.first_most)) continue;
    if (text.size() < sequence.length) return 0;
    const std::string_view rest = text.substr(2, sequence.length - 2);
    const bool good =
        IsBetween(text[1], sequence.second_least, sequence.second_most) &&
        std::all_of(rest.begin(), rest.end(), [](char c) { return IsBetween(c, 0x80, 0xBF); });
    return good ? sequence.length : 0;
  }
  return 0;
}

bool IsControl(char c) { return IsBetween(c, 0, 0x1F) || c == 0x7F; }

std::string MakeFit(std::string_view text) {
  std::string fit;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::size_t taken = std::max<std::size_t>(1, length);
    if (fit.size() + taken > kMostText) break;
    if (length == 0) {
      fit += '?';
    } else if (IsControl(text[0])) {
      fit += ' ';
    } else {
      fit += text.substr(0, length);
    }
    text.remove_prefix(taken);
  }
  return fit;
}

}  // namespace

std::optional<ProgressLine> ParseProgress(std::string_view line) {
  ProgressLine progress;
  const char* const end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, progress.fraction);
  const bool good = error == std::errc() && (after == end || *after == ' ' || *after == '\t') &&
                    progress.fraction >= 0 && progress.fraction <= 1;
  if (!good) return std::nullopt;
  const std::string_view text = line.substr(static_cast<std::size_t>(after - line.data()));
  progress.text = MakeFit(text.substr(std::min(text.size(), text.find_first_not_of(" \t"))));
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

}  // namespace twofold::backend
