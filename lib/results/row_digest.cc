#include "lib/results/row_digest.h"

#include <absl/strings/str_format.h>
#include <openssl/sha.h>

#include <bit>
#include <cstring>

#include "lib/results/values.h"

namespace twofold::results {
namespace {

/// Appends a value so that different rows never give the same bytes.
struct Append {
  void operator()(std::monostate /*null*/) const { to += 'n'; }
  void operator()(std::int64_t number) const {
    to += 'i';
    AppendKey(to, number);
  }
  // SQLite keeps no sign of a zero, so it does not count.
  void operator()(double number) const {
    to += 'r';
    AppendKey(to, std::bit_cast<std::int64_t>(number == 0.0 ? 0.0 : number));
  }
  void operator()(std::string_view text) const {
    to += 't';
    AppendKey(to, static_cast<std::int64_t>(text.size()));
    to += text;
  }

  std::string& to;
};

}  // namespace

void RowDigest::Add(Row row) {
  bytes_.clear();
  for (const Value& value : row) std::visit(Append{bytes_}, value);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size(), hash.data());
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    std::uint64_t part = 0;
    std::memcpy(&part, hash.data() + i * sizeof part, sizeof part);
    sum_[i] += part;
  }
  ++rows_;
}

std::string RowDigest::Hex() const { return absl::StrFormat("%016x%016x", sum_[0], sum_[1]); }

}  // namespace twofold::results
