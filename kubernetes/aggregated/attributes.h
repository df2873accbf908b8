#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/aggregated/front_proxy.h"
#include "kubernetes/api/call.h"
#include "lib/http/message.h"

/// What a request is about, as roles have it. Pure.
namespace twofold::aggregated {

/// The parts of a path, decoded.
/// Errors   kNotFound: one of them is empty, and nothing is there.
Result<std::vector<std::string>> PartsOf(std::string_view path);

/// Of a request for resources, /apis/GROUP/VERSION/...
struct Attributes {
  std::string verb;  ///< get, or list where there is no name
  std::string group;
  std::string version;
  std::string space;
  std::string resource;
  std::string name;
  std::string subresource;
};

/// REQUIRES: four parts at least, the first "apis"; a GET.
/// Source   k8s.io/apiserver, pkg/endpoints/request/requestinfo.go.
Attributes AttributesOf(const std::vector<std::string>& parts);

/// Asks the API server whether `caller` may do that: a SubjectAccessReview.
kube::Call Review(const Caller& caller, const Attributes& attributes);

}  // namespace twofold::aggregated
