#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "lib/common/result.h"

namespace twofold::kube {

/// Asks the server where it has the kinds, once for each group and version.
///
/// Threads  Not thread-safe. Blocks.
/// Errors   kNotFound: the kind's definition (CRD) is not installed. Those of the connection.
class ResourceFinder {
 public:
  explicit ResourceFinder(Connection& connection) : connection_(connection) {}

  Result<Resource> Find(const std::string& api_version, const std::string& kind);
  Result<Resource> Find(const Resource& resource);

  /// The first of some versions of one resource that the server has.
  Result<Resource> FindFirst(const std::vector<Resource>& versions);

  Result<Resource> FindOf(const Json& object);

 private:
  Connection& connection_;
  std::map<std::string, Json> answers_;  // by group and version; null: there is none
};

}  // namespace twofold::kube
