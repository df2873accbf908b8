#pragma once

#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/web/api.h"
#include "lib/http/router.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// Who may change something by HTTP.
struct ActionRules {
  const security::Gate* gate = nullptr;  ///< of HTTP, which has let the request in; may be null
  bool is_local = false;                 ///< only this machine can connect
};

/// Wraps the handler of all requests: each POST is a line of the log, which says who asked for
/// what, and the status, whoever refuses it. Of those that are refused with one status one a second
/// is logged, and how many others there were.
http::Handler LogPosts(const ActionRules& rules, http::Handler handler);

/// The same for requests that no handler sees: http::ServerOptions::on_refused.
void LogRefusedPost(const std::string& request, int status);

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
