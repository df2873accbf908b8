#include "workloads/objects/load/content.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "workloads/objects/load/random.h"

namespace twofold::objects {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

}  // namespace

Content::Content(std::uint64_t seed, std::string_view name)
    : key_(XXH64(name.data(), name.size(), seed)) {}

std::uint64_t Content::Word(std::uint64_t index) const {
  return Scramble(key_ + kGolden * (index + 1));
}

void Content::Fill(std::uint64_t offset, std::span<char> out) const {
  std::uint64_t index = offset / kWord;
  if (const std::size_t skip = offset % kWord; skip > 0 && !out.empty()) {
    const std::uint64_t word = Word(index++);
    const std::size_t count = std::min(kWord - skip, out.size());
    // NOLINTNEXTLINE(bugprone-*): the bytes of a number
    std::memcpy(out.data(), reinterpret_cast<const char*>(&word) + skip, count);
    out = out.subspan(count);
  }
  for (; out.size() >= kWord; out = out.subspan(kWord)) {
    const std::uint64_t word = Word(index++);
    std::memcpy(out.data(), &word, kWord);
  }
  if (!out.empty()) {
    const std::uint64_t word = Word(index);
    std::memcpy(out.data(), &word, out.size());
  }
}

bool Content::Matches(std::uint64_t offset, std::string_view bytes) const {
  std::array<char, 4096> expected;
  while (!bytes.empty()) {
    const std::size_t count = std::min(expected.size(), bytes.size());
    Fill(offset, std::span(expected).first(count));
    if (std::memcmp(expected.data(), bytes.data(), count) != 0) return false;
    bytes.remove_prefix(count);
    offset += count;
  }
  return true;
}

}  // namespace twofold::objects
