#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "frontend/scalers/external_scaler.h"
#include "frontend/scalers/observer.h"
#include "frontend/services/claims.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/rpc/listen.h"

namespace twofold::scalers {

/// The port at which autoscalers ask, from Open to destruction. Its streams then end in order: KEDA
/// comes again at once after such an end, and waits after any other.
class Port {
 public:
  /// What the port looks at, and where it waits. Both outlive it.
  struct Sight {
    Observer& observer;
    frontend::ReaderPool& readers;
  };

  /// `door` has a gate. `streams`: of one host, at once; 0, or more than 1000: 1000.
  /// Errors   see rpc::Listen.
  static Result<std::unique_ptr<Port>> Open(const std::string& address, const Sight& sight,
                                            const rpc::Door& door, std::uint32_t streams,
                                            const rpc::Loops& loops);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// In use, also when port 0 was asked for.
  [[nodiscard]] const HostPort& address() const { return server_->address(); }

 private:
  Port(const Sight& sight, const rpc::Door& door, std::uint32_t streams);

  const std::shared_ptr<security::Gate> gate_;
  frontend::OpenCalls streams_;
  ExternalScaler scaler_;
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace twofold::scalers
