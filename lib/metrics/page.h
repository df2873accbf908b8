#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/http/server.h"
#include "lib/security/options.h"

namespace CLI {
class App;
}

/// A page of metrics, of commands that work for minutes or hours.
namespace twofold::metrics {

struct PageOptions {
  std::string http_address;  ///< empty: no page
  security::ServerOptions http_security;
  std::string ready_file;
};
/// `ready`: when the ready file is written.
void Declare(CLI::App& app, PageOptions& options, const std::string& ready);

/// What the page shows; nullopt: there is nothing yet (503).
using Families = std::function<std::optional<std::vector<prometheus::MetricFamily>>()>;

/// Serves /metrics and /healthz until it is stopped. `families` is called on its thread.
/// REQUIRES: options.http_address is not empty.
/// Errors   kInvalidArgument: names the option; a port that is taken.
Result<std::unique_ptr<http::Server>> ServePage(const PageOptions& options, Families families);

/// Where that server is, for people: "http://127.0.0.1:9400".
std::string UrlOf(const PageOptions& options, const http::Server& server);

/// Writes the ready file, if one is asked for. Errors   names the option.
Status TellReady(const PageOptions& options, const http::Server& server);

}  // namespace twofold::metrics
