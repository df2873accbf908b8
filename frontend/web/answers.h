#pragma once

#include <string>

#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/show/message.h"

/// Answers in JSON: that of lib/show/message.h, so the command line prints the same.
namespace twofold::frontend {

inline http::Response JsonPage(int status, const show::Json& json) {
  return http::Json(status, show::Line(json));
}

/// {"error": "..."}, with the status of HTTP that says the same.
http::Response Failed(const Status& status);

template <typename Message>
http::Response Reply(const Result<Message>& reply) {
  return reply.ok() ? JsonPage(200, show::ToJson(*reply)) : Failed(reply.status());
}

/// Empty if it is not there.
std::string QueryOf(const http::Request& request, const char* name);

/// The {id} of the path. Errors   kInvalidArgument.
Result<std::uint64_t> JobIdOf(const http::Request& request);

/// What is said where there is no store.
Status NoRuns();

}  // namespace twofold::frontend
