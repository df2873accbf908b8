#pragma once

#include <absl/container/flat_hash_map.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace twofold::rpc {

/// The connections that a server has handed to gRPC, which does not say when they end. So they are
/// known by descriptor and by the socket's number in the system, and looked at when it matters.
///
/// Threads  Not thread-safe.
class ConnectionTable {
 public:
  struct Connection {
    int fd = -1;
    ino_t socket = 0;
    std::string host;
    std::uint64_t received = 0;  ///< bytes
  };

  /// A new connection of `host`, before gRPC has it. What had its descriptor before is gone.
  Connection Add(int fd, const std::string& host);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t OfHost(const std::string& host) const;

  /// Forgets those that have ended. Cost: a system call for each connection.
  void Sweep();

  /// All, with what each has received since Measure was called before, or since it came.
  /// Cost     Four system calls for each connection.
  std::vector<Connection> Measure();

  /// Breaks a connection off, with what it has sent and gRPC has not read yet. Does nothing if it
  /// has ended by itself.
  static void BreakOff(const Connection& connection);

 private:
  using Entries = absl::flat_hash_map<int, Connection>;

  void Forget(Entries::iterator entry);

  Entries entries_;  // with all that they had received when they were measured
  absl::flat_hash_map<std::string, std::size_t> of_host_;
};

}  // namespace twofold::rpc
