#include "lib/security/tokens.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <sstream>

namespace twofold::security {
namespace {

std::optional<Role> ParseRole(std::string_view name) {
  const auto* found = std::find(kRoleNames.begin(), kRoleNames.end(), name);
  if (found == kRoleNames.end()) return std::nullopt;
  return static_cast<Role>(found - kRoleNames.begin());
}

Status Invalid(const std::string& what) { return absl::InvalidArgumentError(what); }

}  // namespace

std::string Roles::ToString() const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    if (Has(static_cast<Role>(i))) names.push_back(kRoleNames[i]);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string CheckToken(std::string_view token) {
  if (token.size() < Tokens::kLeastBytes || token.size() > Tokens::kMostBytes) {
    return fmt::format("the token has {} characters; allowed are {} to {}", token.size(),
                       Tokens::kLeastBytes, Tokens::kMostBytes);
  }
  // What can stand in a header.
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  return printable ? "" : "the token has characters that are not printable ASCII";
}

Result<Tokens> Tokens::Parse(const std::string& text) {
  Tokens tokens;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.empty() || fields[0].front() == '#') continue;
    if (Status status = tokens.Add(fields); !status.ok()) {
      return Invalid(fmt::format("line {}: {}", number, std::string(status.message())));
    }
  }
  if (tokens.entries_.empty()) return Invalid("it has no token, so nobody could call anything");
  return tokens;
}

Status Tokens::Add(const std::vector<std::string>& fields) {
  if (fields.size() != 3) return Invalid("it is not ROLE NAME TOKEN");
  const std::optional<Role> role = ParseRole(fields[0]);
  // Not the word itself: in a line whose parts are in another order it may be the token.
  if (!role) return Invalid(fmt::format("the role is not one of {}", fmt::join(kRoleNames, ", ")));
  if (const std::string bad = CheckToken(fields[2]); !bad.empty()) return Invalid(bad);
  if (Find(fields[2]) != nullptr) return Invalid("an earlier line has the same token");
  entries_.push_back({DigestOf(fields[2]), {*role, fields[1]}});
  return absl::OkStatus();
}

const Tokens::Holder* Tokens::Find(std::string_view token) const {
  const Digest digest = DigestOf(token);
  const Holder* found = nullptr;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) {
      found = &entry.holder;
    }
  }
  return found;
}

Tokens::Digest Tokens::DigestOf(std::string_view token) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

}  // namespace twofold::security
