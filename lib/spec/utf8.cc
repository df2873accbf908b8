#include "lib/spec/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace twofold::spec {
namespace {

/// One row of the table in RFC 3629, section 4: first bytes, and what may come second. Third and
/// fourth bytes are always 80..BF.
struct Row {
  std::uint8_t first_from, first_to, second_from, second_to;
  std::size_t bytes;
};

constexpr std::array<Row, 9> kRows = {{{0x00, 0x7F, 0, 0, 1},
                                       {0xC2, 0xDF, 0x80, 0xBF, 2},
                                       {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                       {0xE1, 0xEC, 0x80, 0xBF, 3},
                                       {0xED, 0xED, 0x80, 0x9F, 3},
                                       {0xEE, 0xEF, 0x80, 0xBF, 3},
                                       {0xF0, 0xF0, 0x90, 0xBF, 4},
                                       {0xF1, 0xF3, 0x80, 0xBF, 4},
                                       {0xF4, 0xF4, 0x80, 0x8F, 4}}};

// Bytes of the character that `text` begins with; 0 if it is none.
std::size_t Character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.first_from <= byte(0) && byte(0) <= candidate.first_to;
  });
  if (row == kRows.end() || text.size() < row->bytes) return 0;
  if (row->bytes > 1 && (byte(1) < row->second_from || byte(1) > row->second_to)) return 0;
  for (std::size_t i = 2; i < row->bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return row->bytes;
}

}  // namespace

std::size_t ValidUtf8(std::string_view text) {
  std::size_t valid = 0;
  while (valid < text.size()) {
    const std::size_t bytes = Character(text.substr(valid));
    if (bytes == 0) break;
    valid += bytes;
  }
  return valid;
}

}  // namespace twofold::spec
