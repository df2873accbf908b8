#pragma once

#include <absl/container/flat_hash_map.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>

#include "lib/common/mutex.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// Bounds how many calls that stay open (streams, and calls that wait for a job) one peer has at
/// one door. A peer is a host: its connections count together, so an address translation on the way
/// makes many of them one.
///
/// Threads  Safe.
class OpenCalls {
 public:
  /// `limit` 0 = none. `gate` counts those turned away.
  OpenCalls(std::uint32_t limit, security::Gate& gate) : limit_(limit), gate_(gate) {}

  /// Taken for as long as it lives, which the OpenCalls must outlive.
  using Place = std::shared_ptr<void>;

  /// A place for one more call of `peer` (as grpc::ServerContext::peer gives it); null: it has as
  /// many as it may.
  Place Enter(const std::string& peer);

  [[nodiscard]] grpc::Status Refusal() const;

 private:
  void Leave(const std::string& host);

  const std::uint32_t limit_;
  security::Gate& gate_;
  Mutex mutex_;
  absl::flat_hash_map<std::string, std::uint32_t> open_ ABSL_GUARDED_BY(mutex_);  // by host
};

}  // namespace twofold::frontend
