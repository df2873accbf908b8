#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// Refusals of the API server as Status: a code to decide by, and a text for people such as
/// `create pod default/x: 403 Forbidden: pods is forbidden: User "u" cannot create resource ...`.
namespace twofold::kube {

/// What an answer with an error status says. `body` is a Status object, or plain text (as with 429
/// and from proxies).
///
///   400, 405, 406, 413, 415, 422  kInvalidArgument
///   401  kUnauthenticated         403  kPermissionDenied
///   404  kNotFound                409  kAlreadyExists, kAborted (a conflict)
///   410  kOutOfRange (an expired version or chunk)
///   429  kResourceExhausted       408, 504  kDeadlineExceeded
///   others of 500 and more  kUnavailable, else kInternal
Status ErrorOf(const std::string& what, int http_status, const std::string& body);

/// The same for the object of a watch's line of type ERROR, which has the status in it.
Status ErrorOfStatusObject(const std::string& what, const Json& object);

/// The reason that the server gave, "AlreadyExists"; empty: none, or no error of the server.
std::string ReasonOf(const Status& status);

/// The HTTP status behind an error; 0: no answer came.
int HttpStatusOf(const Status& status);

/// Whether the call had been sent before and the answer to that was lost, so that AlreadyExists or
/// NotFound may be the work of the first try. Who creates compares a label of the object then.
bool WasRepeated(const Status& status);
void SetRepeated(Status& status);

/// What the server asks to wait before the next try; nullopt: nothing. At most a day.
std::optional<Duration> RetryAfterOf(const Status& status);
void SetRetryAfter(Status& status, std::chrono::seconds wait);

}  // namespace twofold::kube
