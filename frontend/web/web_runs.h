#pragma once

#include "frontend/queues/storage.h"
#include "lib/http/message.h"
#include "lib/results/run_reader.h"

/// Runs over HTTP; the paths are in web.h, the JSON is that of lib/runs/json.h.
namespace twofold::frontend {

using RunsPage = http::Response (*)(const results::RunReader& reader, const http::Request& request);

/// `page` of the store's runs, made on a thread that may block; 409 if there is no store.
http::Handler WithRuns(const Storage* storage, RunsPage page);

http::Response RunsJson(const results::RunReader& reader, const http::Request& request);
http::Response RunJson(const results::RunReader& reader, const http::Request& request);
http::Response ResultsJson(const results::RunReader& reader, const http::Request& request);

}  // namespace twofold::frontend
