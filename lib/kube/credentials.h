#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/kube/config.h"
#include "lib/security/tls_material.h"

namespace twofold::kube {

/// What proves who we are, for some time.
struct Proof {
  std::vector<std::pair<std::string, std::string>> headers;  ///< Authorization, Impersonate-*
  /// Our certificate, and the CA of the server; the same pointer until they change.
  std::shared_ptr<const security::TlsMaterial> tls;
  std::uint64_t number = 0;  ///< each proof has its own
};

/// Keeps the proofs of an identity fresh: reads a token's file each minute, runs an exec plugin
/// again before its credentials expire, and both when the server refuses the present proof.
///
/// Threads  Safe. While one caller runs a plugin, for 60 seconds at most, the others wait.
/// Errors   kUnauthenticated: which file or plugin, what went wrong, and its installHint.
class Credentials {
 public:
  explicit Credentials(Config config);

  Result<std::shared_ptr<const Proof>> Get(Instant now);

  /// The server has answered 401 to this proof: the next Get makes a new one, if there is a way.
  /// False: there is no other proof than this one.
  bool Refuse(const Proof& proof);

 private:
  Result<std::shared_ptr<const Proof>> Make(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Config config_;
  Mutex mutex_;
  std::shared_ptr<const Proof> proof_ ABSL_GUARDED_BY(mutex_);
  Instant good_until_ ABSL_GUARDED_BY(mutex_) = Instant::max();
  bool refused_ ABSL_GUARDED_BY(mutex_) = false;  // the present one
};

}  // namespace twofold::kube
