#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/aggregated/attributes.h"
#include "kubernetes/aggregated/authorizer.h"
#include "kubernetes/aggregated/discovery.h"
#include "kubernetes/aggregated/trust.h"
#include "kubernetes/api/connection.h"
#include "lib/common/address.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/http/server.h"

namespace twofold::aggregated {

/// A request that its caller may make, for what is below /apis/GROUP/VERSION.
struct Asked {
  std::string group;
  std::string version;
  std::vector<std::string> parts;  ///< what follows of the path, decoded; one at least
  http::Params query;
};

/// Groups of an API, and who answers for what is in them.
struct Api {
  std::vector<ServedGroup> groups;
  std::function<http::Response(const Asked& asked)> answer;  ///< any thread
};

struct ServerOptions {
  HostPort address;
  kube::Access access;  ///< the API server that passes requests on to this one
  std::function<std::shared_ptr<const security::TlsMaterial>()> material;
  std::function<bool(std::function<void()> task)> run_later;  ///< see http::ServerOptions
};

/// How often a group was asked for, and what came of it, by status.
struct RequestCount {
  std::string group;  ///< empty: discovery, probes, and what no group has
  int status = 0;
  std::uint64_t requests = 0;

  auto operator<=>(const RequestCount&) const = default;
};

/// Serves an API behind the aggregator of an API server:
///
///   /healthz /livez /readyz     open
///   /apis ...                   what there is, for whomever the API server vouches for: its own
///                               looks come from users without a group
///   /openapi/...                404, which the aggregator takes for an API without documents
///   /apis/GROUP/VERSION/...     for those that the API server allows it
///
/// Only GET (and HEAD). Nobody is believed who does not show the front proxy's certificate.
///
/// Threads  Safe. Those of http::Server, of Trust, and those that `run_later` has.
/// Errors   Answered as Status objects: 401, 403, 404, 405; 503 while the API server does not say
///          whom to believe or what is allowed. Of Start: see http::Server.
class Server {
 public:
  static Result<std::unique_ptr<Server>> Start(ServerOptions options, Api api);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const { return http_->port(); }

  /// By group and status. At most a few hundred.
  [[nodiscard]] std::vector<RequestCount> Counts() const;

 private:
  Server(ServerOptions options, Api api);
  Status Listen();
  http::Response Handle(const http::Request& request);
  http::Response Route(const http::Request& request, std::string& group);
  http::Response Discover(const std::vector<std::string>& parts) const;
  http::Response AnswerLater(const Caller& caller, Attributes attributes, Asked asked);
  void Count(const std::string& group, int status);

  const ServerOptions options_;
  const Api api_;
  Trust trust_;
  Authorizer authorizer_;
  mutable Mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> counts_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<http::Server> http_;  // the last: its thread uses the others
};

}  // namespace twofold::aggregated
