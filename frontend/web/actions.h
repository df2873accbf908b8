#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/web/api.h"
#include "lib/common/limited_log.h"
#include "lib/http/router.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// Who may change something by HTTP.
struct ActionRules {
  const security::Gate* gate = nullptr;  ///< of HTTP, which has let the request in; may be null
  bool is_local = false;                 ///< only this machine can connect
};

/// Each POST is a line of the log: who asked for what, and the status, whoever refuses it. Of those
/// that are refused with one status one a second is logged, and how many others there were.
///
/// Threads  Any.
class PostLog {
 public:
  explicit PostLog(ActionRules rules) : rules_(rules) {}

  /// Wraps the handler of all requests.
  static http::Handler Around(std::shared_ptr<PostLog> log, http::Handler handler);

  /// For requests that no handler sees: http::ServerOptions::on_refused.
  void Refused(const std::string& request, int status);

 private:
  static constexpr int kFirst = 400;  ///< status of an error

  void Note(const std::string& who, std::string_view path, int status);

  const ActionRules rules_;
  std::array<LimitedLog, 200> refusals_;  ///< by status, from kFirst
};

/// What the live pages can do, as POSTs with a JSON body, which may be empty:
///
///   /api/v1/queues/NAME/pause, resume, drain   the queue after it
///   /api/v1/jobs/ID/cancel                     the job as it has ended
///   /api/v1/runs/ID/cancel                     the run, and how many of its jobs were cancelled
///   GET /api/v1/me                             {"roles": [...], "tokens": ...}: what the asking
///                                              page may do
///
/// http::Guard has checked the role and refused pages of other sites. Content-Type has to be
/// application/json, which no form of another page can send (415). Without tokens, they work only
/// where `is_local` (403).
///
/// The queues, `storage` (nullptr: none) and the gate outlive the handlers.
std::vector<http::Route> ActionRoutes(const Api& api, Storage* storage, ActionRules rules);

}  // namespace twofold::frontend
