#pragma once

#include <string>
#include <string_view>

#include "bench/peers/peers/relay.pb.h"
#include "lib/rpc/columns.h"

/// Both messages of relay.proto, read and written alike.
namespace twofold::bench {

inline std::size_t Append(Packed& message, std::string_view payload) {
  message.add_sizes(static_cast<std::uint32_t>(payload.size()));
  message.mutable_payloads()->append(payload);
  return payload.size();
}

inline std::size_t Append(Repeated& message, std::string_view payload) {
  Job& job = *message.add_jobs();
  job.set_id(1);
  job.set_queue("bench");
  job.set_payload(payload.data(), payload.size());
  return payload.size();
}

inline int Jobs(const Packed& message) { return message.sizes_size(); }
inline int Jobs(const Repeated& message) { return message.jobs_size(); }

template <typename Visit>
void ForEach(const Packed& message, Visit&& visit) {
  rpc::PackedReader payloads(message.sizes(), message.payloads());
  for (int i = 0; i < message.sizes_size(); ++i) visit(payloads.Next());
}

template <typename Visit>
void ForEach(const Repeated& message, Visit&& visit) {
  for (const Job& job : message.jobs()) visit(std::string_view(job.payload()));
}

/// For StreamClient and StreamWorker.
template <typename Message>
struct RelayFormat {
  using Request = Message;
  using Reply = Message;
  using Job = std::string;

  std::size_t AppendJob(Request& request, std::string_view payload) const {
    return Append(request, payload);
  }
  template <typename Visit>
  void ForEachResult(const Reply& reply, Visit&& visit) const {
    ForEach(reply, visit);
  }

  static bool HasJobs(const Reply& message) { return Jobs(message) > 0; }
  template <typename Visit>
  static void ForEachJob(const Reply& message, Visit&& visit) {
    ForEach(message, visit);
  }
  static std::size_t AppendResult(Request& request, std::string_view payload) {
    return Append(request, payload);
  }
};

}  // namespace twofold::bench
