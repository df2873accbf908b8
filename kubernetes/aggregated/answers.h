#pragma once

#include <string>

#include "kubernetes/api/call.h"
#include "lib/common/result.h"
#include "lib/http/message.h"

/// What clients of Kubernetes read. Pure.
namespace twofold::aggregated {

http::Response Answer(const kube::Json& document);

/// A Status object: `reason` is one of Kubernetes' words, "NotFound".
http::Response Refusal(int status, const std::string& reason, const std::string& message);

/// The same for an error.
///
///   kInvalidArgument 400   kUnauthenticated 401   kPermissionDenied 403   kNotFound 404
///   all others 503: whoever scales by the answer leaves things as they are
http::Response Refusal(const Status& error);

/// A number as a quantity, rounded up to thousandths: "7", "3500m". REQUIRES: finite, not negative.
std::string Quantity(double value);

}  // namespace twofold::aggregated
