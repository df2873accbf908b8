#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"
#include "lib/common/line_cutter.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

/// How full the store behind the API server is. Past its quota every write of everybody fails, so a
/// run stops before.
namespace twofold::lifecycle {

/// Finds the size in the API server's metrics as they come, cut anywhere: the largest of
/// apiserver_storage_size_bytes, or of the names that it had in earlier versions.
///
/// Cost     Memory: one line, of which more than 4 KiB is not kept.
class EtcdSizeReader {
 public:
  void Read(std::string_view bytes);

  /// nullopt: no such metric so far.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return bytes_; }

 private:
  LineCutter lines_{4096};
  std::optional<std::uint64_t> bytes_;
};

/// Asks the server once. Reads 64 MiB and 20 seconds at most.
///
/// Errors   Those of the connection. kPermissionDenied: no right to read /metrics. kNotFound: the
///          server has no such metric, or no /metrics.
Result<std::uint64_t> ReadEtcdSize(kube::Connection& connection);

/// What a run may fill.
struct EtcdLimits {
  std::uint64_t quota = 0;  ///< bytes, etcd's --quota-backend-bytes; 0: nobody looks
  double stop_at = 0.8;     ///< of the quota: between two looks much can be written
  Duration between = std::chrono::seconds(5);
};

/// OK if `bytes` leave room. Errors   kResourceExhausted: how full it is, and what to do.
Status CheckRoom(std::uint64_t bytes, const EtcdLimits& limits);

/// The same of what the server says now; if it does not say, OK.
Status CheckRoom(kube::Connection& connection, const EtcdLimits& limits);

/// Looks every few seconds.
///
/// Threads  A thread and a connection of its own. `full` is called once, by that thread.
class EtcdGuard {
 public:
  EtcdGuard(const kube::Access& access, const EtcdLimits& limits, std::function<void()> full);
  ~EtcdGuard();
  void Stop();

  /// Not OK: what CheckRoom said when there was no room left.
  Status verdict();

  /// Why nobody looked, at last: the guard cannot see, or could not at the end. OK: it could.
  Status blind();

 private:
  void Work();
  bool Look();

  const EtcdLimits limits_;
  const std::function<void()> full_;
  kube::Connection connection_;
  Mutex mutex_;
  Status verdict_ ABSL_GUARDED_BY(mutex_);
  Status blind_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace twofold::lifecycle
