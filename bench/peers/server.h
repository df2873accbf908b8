#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/peers/child.h"
#include "bench/peers/peer.h"
#include "bench/peers/server_table.h"

namespace twofold::bench {

/// Where our own programs are.
struct Programs {
  std::string bench;
  std::string frontend;
};

/// False: its package (or our frontend) is not there.
bool IsInstalled(const ServerRow& row, const Programs& programs);

/// A server under test: started on free ports with a directory of its own, ended with the object.
class Server {
 public:
  /// Returns when it accepts connections.
  /// Errors   kUnavailable: it does not; with the last line that it printed. kCancelled: Ctrl-C.
  static Result<std::unique_ptr<Server>> Start(const ServerRow& row, const Programs& programs);

  /// The process to account for.
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const Target& target() const { return target_; }

 private:
  Server() = default;

  Status Run(const ServerRow& row, const Programs& programs);
  Status Await(const ServerRow& row);
  [[nodiscard]] std::string Log() const { return directory_.path() / "log.txt"; }

  TemporaryDirectory directory_;
  Target target_;
  std::optional<Child> helper_;  // ended after the server
  std::optional<Child> child_;
  pid_t pid_ = -1;
};

}  // namespace twofold::bench
