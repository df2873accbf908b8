#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/web/api.h"
#include "lib/http/events.h"
#include "lib/http/message.h"

namespace twofold::frontend {

/// What the live pages see: GET /api/v1/stream?topics=queues,workers,runs&run=ID, as server-sent
/// events. docs/api.md says what each event has.
///
/// Everything is looked at once for all pages, at most twice a second, and only while a page is
/// open.
///
/// Threads  Stream, and what it returns, are used on the thread of the HTTP server.
/// Cost     With 10 000 workers about a millisecond a look; reading the store takes place on the
///          threads of `run`, and only after something was written.
class Live {
 public:
  /// `storage` nullptr: there are no runs. All outlive this and the streams.
  Live(const Api& api, const Storage* storage, http::Topic::Run run);

  http::Response Stream(const http::Request& request);

 private:
  std::shared_ptr<http::Topic> TopicOfRun(const std::string& id);

  const QueueSet& queues_;
  const Storage* const storage_;
  const http::Topic::Run run_;
  std::map<std::string, std::vector<std::shared_ptr<http::Topic>>, std::less<>> topics_;
  std::map<std::string, std::weak_ptr<http::Topic>> runs_;  // those that somebody looks at
};

}  // namespace twofold::frontend
