#include "lib/trace/digest.h"

#include <bit>
#include <cstring>

namespace twofold::queue::trace {
namespace {

static_assert(std::endian::native == std::endian::little, "Word reads 8 bytes as they lie");

// Odd, with bits all over: pi and e after the point.
constexpr std::uint64_t kSpread = 0x243f'6a88'85a3'08d3;
constexpr std::uint64_t kFold = 0xb7e1'5162'8aed'2a6b;

std::uint64_t Word(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

std::uint64_t Round(std::uint64_t digest, std::uint64_t word) {
  return std::rotl(digest ^ (word * kSpread), 27) * kFold;
}

}  // namespace

std::uint64_t Digest(std::string_view bytes) {
  // The size goes in, as the last word is filled up with zeros.
  std::uint64_t digest = Round(0, bytes.size());
  for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
    digest = Round(digest, Word(bytes.data(), sizeof(std::uint64_t)));
  }
  if (!bytes.empty()) digest = Round(digest, Word(bytes.data(), bytes.size()));
  digest = (digest ^ (digest >> 29)) * kSpread;
  return digest ^ (digest >> 32);
}

}  // namespace twofold::queue::trace
