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

  using Json = nlohmann::ordered_json;
  [[nodiscard]] Result<Json> Deployments() const { return Get("/deployments"); }
  [[nodiscard]] Result<Json> Deployment(const std::string& name) const {
    return Get("/deployments/" + name);
  }

  /// Where the service serves HTTP: http://HOST:PORT. kNotFound: it does not (yet).
  [[nodiscard]] Result<std::string> ServiceUrl(const std::string& name) const;
  [[nodiscard]] Result<Json> Scale(const std::string& name, int replicas) const;
  [[nodiscard]] Result<Json> Kill(const std::string& name, int signal) const;
  [[nodiscard]] Result<Json> Start(const std::string& name) const;
  [[nodiscard]] Status Down() const;

  /// The deployment, once all that it shall have is ready and nothing else is there.
  /// Errors   also kDeadlineExceeded after `timeout`.
  [[nodiscard]] Result<Json> Settled(const std::string& name, Duration timeout) const;

  /// The deployment when none of its processes is left; after ten seconds as it is.
  [[nodiscard]] Result<Json> Ended(const std::string& name) const;

  /// Where the frontend serves clients, HOST:PORT; empty before it does. Of several all, as
  /// Contacts(), and one that serves comes first.
  [[nodiscard]] Result<std::string> FrontendAddress() const;

 private:
  explicit Remote(const StateFolder::Door& door);
  [[nodiscard]] Result<Json> Get(const std::string& path) const;
  [[nodiscard]] Result<Json> Put(const std::string& path) const;
  [[nodiscard]] Result<Json> Await(const std::string& name, Duration timeout,
                                   bool (*is_so)(const Json&)) const;

  std::string url_;
  security::Client secret_;
};

}  // namespace twofold::local
