#pragma once

#include <string>
#include <vector>

#include "lib/http/message.h"

namespace twofold::http {

/// One row of the routing table.
struct Route {
  std::string method;  ///< "GET" (also serves HEAD), "PUT", ...
  std::string path;    ///< "/jobs/{id}": a part in braces takes any one non-empty part
  Handler handler;
};

/// Finds the handler of a request in a table; is itself a Handler.
///
///   Router({{"GET", "/healthz", Healthz}, {"DELETE", "/jobs/{id}", CancelJob}})
///
/// The first row that fits wins. Unknown paths get 404, known ones with another method 405.
///
/// Threads  Immutable: safe to share if the handlers are.
class Router {
 public:
  explicit Router(std::vector<Route> routes);

  Response operator()(Request request) const;

 private:
  struct Entry {
    std::string method;
    std::vector<std::string> pattern;
    Handler handler;
  };

  std::vector<Entry> entries_;
};

}  // namespace twofold::http
