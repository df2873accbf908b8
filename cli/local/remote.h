#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/local/state_folder.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/security/client.h"

namespace twofold::local {

/// The supervisor of a state folder, as the command line talks to it. JSON is that of its API.
///
/// It is shown the secret of its folder, and no token of ours.
///
/// Errors   of all calls: kPermissionDenied: others can write to the folder. kNotFound: no cluster
///          runs there, or it has no such deployment. kInvalidArgument: refused, and why.
///          kUnavailable: it does not answer.
class Remote {
 public:
  /// Looks up where the supervisor serves.
  static Result<Remote> Find(const StateFolder& folder);

  [[nodiscard]] Result<nlohmann::ordered_json> Deployments() const;
  [[nodiscard]] Result<nlohmann::ordered_json> Deployment(const std::string& name) const;
  [[nodiscard]] Result<nlohmann::ordered_json> Service(const std::string& name) const;
  [[nodiscard]] Result<nlohmann::ordered_json> Scale(const std::string& name, int replicas) const;
  [[nodiscard]] Status Down() const;

 private:
  explicit Remote(const StateFolder::Door& door);

  std::string url_;
  security::Client secret_;
};

/// Whether all that a deployment (an object of the API) shall have is there, and nothing else.
bool IsSettled(const nlohmann::ordered_json& deployment);

}  // namespace twofold::local
