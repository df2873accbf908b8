#include "lib/security/gate.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>

namespace twofold::security {
namespace {

/// The token of "Bearer TOKEN"; empty if it is something else.
std::string_view BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";  // schemes are compared without case (RFC 9110)
  const auto same = [](char ours, char theirs) {
    return ours == std::tolower(static_cast<unsigned char>(theirs));
  };
  if (authorization.size() < kScheme.size() ||
      !std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), same)) {
    return {};
  }
  return authorization.substr(kScheme.size());
}

}  // namespace

std::optional<Gate::Denial> Gate::Check(std::string_view what, Roles allowed,
                                        std::string_view authorization) {
  if (tokens_ == nullptr || allowed.open()) return std::nullopt;
  std::optional<Denial> denial = Decide(what, allowed, authorization);
  if (denial) Count(denial->reason);
  return denial;
}

std::optional<Tokens::Holder> Gate::HolderOf(std::string_view authorization) const {
  const std::string_view token = BearerToken(authorization);
  if (tokens_ == nullptr || token.empty()) return std::nullopt;
  const auto tokens = tokens_->Get();
  const Tokens::Holder* holder = tokens->Find(token);
  return holder == nullptr ? std::nullopt : std::optional(*holder);
}

std::optional<Gate::Denial> Gate::Decide(std::string_view what, Roles allowed,
                                         std::string_view authorization) {
  const std::string_view token = BearerToken(authorization);
  if (token.empty()) {
    return Denial{Reason::kNoToken,
                  "a token is needed (programs of Twofold: --token-file or TWOFOLD_TOKEN)"};
  }
  const auto tokens = tokens_->Get();
  const Tokens::Holder* holder = tokens->Find(token);
  if (holder == nullptr) return Denial{Reason::kUnknownToken, "the token is not known"};
  if (allowed.Has(holder->role)) return std::nullopt;
  return Denial{Reason::kRole, fmt::format("{} is {}, but {} needs {}", holder->name,
                                           Name(holder->role), what, allowed.ToString())};
}

}  // namespace twofold::security
