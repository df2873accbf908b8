#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "kubernetes/api/connection.h"
#include "kubernetes/controller/election.h"
#include "lib/common/interruption.h"

namespace twofold::controller {

/// Tries to lead for as long as it lives, on a thread of its own, and gives the lease back at its
/// end.
///
/// Threads  `on_change(leads)` is called on its thread, each time that it begins or ends. Who led
///          and leads no more must stop at once: another process acts now. leads() by any thread.
/// Errors   Of the server: logged when their reason changes, and tried again.
class Leadership {
 public:
  Leadership(kube::Access access, ElectionOptions options, std::function<void(bool)> on_change);
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  /// Also false once the lease should have been renewed, whatever the thread waits for.
  [[nodiscard]] bool leads() const { return Now() < until_.load(); }

 private:
  void Run();
  Status Try();
  void Tell();
  void Say(const Status& status);
  Duration Pause();

  Election election_;
  const std::function<void(bool)> on_change_;
  kube::Connection connection_;
  std::mt19937_64 random_{std::random_device{}()};
  std::atomic<Instant> until_{Instant::min()};
  bool told_ = false;
  std::string said_;
  Interruption end_;
  std::thread thread_;  // last: it uses the rest
};

/// "HOST_RANDOM": no two processes have the same, nor one before and after a restart.
std::string MakeIdentity();

}  // namespace twofold::controller
