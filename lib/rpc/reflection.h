#pragma once

#include <memory>
#include <vector>

#include "lib/rpc/service.h"

namespace twofold::rpc {

/// grpc.reflection, by which tools ask a server what it serves, in both versions that are about.
/// Its answers come from the descriptors that protobuf keeps of all generated messages.
///
/// Cost     A request for a file: the files that it imports are sent along.
class ReflectionServices {
 public:
  /// `services` are told of.
  explicit ReflectionServices(const std::vector<Service*>& services);

  [[nodiscard]] std::vector<Service*> Versions() const;

 private:
  std::vector<std::unique_ptr<Service>> versions_;
};

}  // namespace twofold::rpc
