#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/api/config.h"
#include "kubernetes/api/exec_plugin.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
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
/// Threads  Safe. A plugin runs once for all who wait for it, 60 seconds at most, on a thread of
///          its own; what comes of it, a failure too, is the answer to all of them. It is killed
///          when the last of them has given up.
/// Errors   kUnauthenticated: which file or plugin, what went wrong, and its installHint.
///          kCancelled: given up.
class Credentials {
 public:
  explicit Credentials(Config config);
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  /// `given_up` is asked while a plugin runs, under the lock of the credentials.
  Result<std::shared_ptr<const Proof>> Get(Instant now,
                                           const std::function<bool()>& given_up = nullptr);

  /// The server has answered 401 to this proof: the next Get makes a new one, if there is a way.
  /// False: there is no other proof than this one.
  bool Refuse(const Proof& proof);

 private:
  using Outcome = Result<std::shared_ptr<const Proof>>;
  struct PluginRun {
    std::atomic<bool> given_up = false;
    int waiting = 0;
    std::optional<Outcome> outcome;
  };

  void StartRun(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Run(PluginRun& run, Instant now);
  Outcome AwaitRun(const std::function<bool()>& given_up) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Outcome Make(Instant now, const ExecCredential& printed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Outcome Keep(Outcome made, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Config config_;
  Mutex mutex_;
  Condition run_ended_;
  std::shared_ptr<PluginRun> run_ ABSL_GUARDED_BY(mutex_);  // nullptr: none runs
  std::thread runner_ ABSL_GUARDED_BY(mutex_);              // of this run, or of the one before
  std::shared_ptr<const Proof> proof_ ABSL_GUARDED_BY(mutex_);
  Instant good_until_ ABSL_GUARDED_BY(mutex_) = Instant::max();
  bool refused_ ABSL_GUARDED_BY(mutex_) = false;  // the present one
};

}  // namespace twofold::kube
