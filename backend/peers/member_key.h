#pragma once

#include <string_view>

#include "backend/workload/peer_link.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::backend {

inline constexpr std::size_t kSecretBytes = 32;  ///< of GangRoster.secret

/// Which member is meant; whether the caller may is another question.
inline MemberId IdOf(const v1::MemberKey& key) { return {{key.job(), key.attempt()}, key.rank()}; }

/// Whether `shown` is the secret of an attempt. Takes as long whatever is shown. A secret that has
/// not kSecretBytes is nobody's.
bool IsSecret(std::string_view shown, std::string_view secret);

}  // namespace twofold::backend
