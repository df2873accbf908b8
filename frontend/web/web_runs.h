#pragma once

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "lib/http/message.h"
#include "lib/results/run_reader.h"

/// Jobs, workers and runs over HTTP; the paths are in web.h, the JSON is that of
/// lib/show/message.h, so the command line prints the same.
namespace twofold::frontend {

using RunsPage = http::Response (*)(const results::RunReader& reader, const http::Request& request);

/// `page` of the store's runs, made on a thread that may block; 409 if there is no store.
http::Handler WithRuns(const Storage* storage, RunsPage page);

using JobsPage = http::Response (*)(const QueueSet& queues, const http::Request& request);

/// `page` of the queues, made on a thread that may block: finished jobs are read from the store.
http::Handler OfQueues(const QueueSet& queues, JobsPage page);

/// One page of jobs: ?queue= ?run= ?finished=true ?page_token=
http::Response JobsJson(const QueueSet& queues, const http::Request& request);
http::Response JobJson(const QueueSet& queues, const http::Request& request);
http::Response WorkersJson(const QueueSet& queues, const http::Request& request);

http::Response RunsJson(const results::RunReader& reader, const http::Request& request);
http::Response RunJson(const results::RunReader& reader, const http::Request& request);
http::Response ResultsJson(const results::RunReader& reader, const http::Request& request);

}  // namespace twofold::frontend
