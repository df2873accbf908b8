#pragma once

#include <map>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Asks the server where it has the kinds, once for each group and version.
///
/// Threads  Not thread-safe. Blocks.
/// Errors   kNotFound: the kind's definition (CRD) is not installed. Those of the connection.
class ResourceFinder {
 public:
  explicit ResourceFinder(kube::Connection& connection) : connection_(connection) {}

  Result<kube::Resource> Find(const std::string& api_version, const std::string& kind);
  Result<kube::Resource> Find(const kube::Resource& resource);
  Result<kube::Resource> FindOf(const Object& object);

 private:
  kube::Connection& connection_;
  std::map<std::string, kube::Json> answers_;  // by group and version; null: there is none
};

}  // namespace twofold::lifecycle
