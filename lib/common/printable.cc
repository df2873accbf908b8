#include "lib/common/printable.h"

#include <algorithm>
#include <iterator>

namespace twofold {
namespace {

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

bool IsControl(std::string_view character) {
  if (character.size() == 2) return character[0] == '\xC2' && IsBetween(character[1], 0x80, 0x9F);
  return character.size() == 1 && (IsBetween(character[0], 0, 0x1F) || character[0] == 0x7F);
}

}  // namespace

std::string Printable(std::string_view text, std::size_t most) {
  std::string fit;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::size_t taken = std::max<std::size_t>(1, length);
    if (fit.size() + taken > most) break;
    if (length == 0) {
      fit += '?';
    } else if (IsControl(text.substr(0, length))) {
      fit += ' ';
    } else {
      fit += text.substr(0, length);
    }
    text.remove_prefix(taken);
  }
  return fit;
}

std::size_t UnfinishedTail(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(3, text.size()); ++size) {
    const char first = text[text.size() - size];
    if (IsBetween(first, 0x80, 0xBF)) continue;
    const auto* const sequence = std::find_if(
        std::begin(kSequences), std::end(kSequences),
        [&](const Sequence& each) { return IsBetween(first, each.first_least, each.first_most); });
    return sequence != std::end(kSequences) && size < sequence->length ? size : 0;
  }
  return 0;
}

}  // namespace twofold
