#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace twofold::bench {

/// What every job starts with; the rest is padding. Peers that need to route a result to its
/// submitter read the client from here.
struct PayloadHead {
  std::uint64_t number = 0;  ///< of the job within its client
  std::uint32_t client = 0;
};

inline constexpr std::size_t kPayloadHeadBytes = 12;

inline void Write(const PayloadHead& head, std::string& payload) {
  std::memcpy(payload.data(), &head.number, sizeof head.number);
  std::memcpy(payload.data() + sizeof head.number, &head.client, sizeof head.client);
}

/// REQUIRES: payload has kPayloadHeadBytes.
inline PayloadHead ReadHead(std::string_view payload) {
  PayloadHead head;
  std::memcpy(&head.number, payload.data(), sizeof head.number);
  std::memcpy(&head.client, payload.data() + sizeof head.number, sizeof head.client);
  return head;
}

}  // namespace twofold::bench
