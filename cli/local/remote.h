#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/local/state_folder.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::local {

/// The supervisor of a state folder, as the command line talks to it. JSON is that of its API.
///
/// Errors   of all calls: kNotFound: no cluster runs there, or it has no such deployment.
///          kInvalidArgument: refused, and why. kUnavailable: it does not answer.
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
  explicit Remote(std::string url) : url_(std::move(url)) {}

  std::string url_;
};

/// Whether all that a deployment (an object of the API) shall have is there, and nothing else.
bool IsSettled(const nlohmann::ordered_json& deployment);

}  // namespace twofold::local
