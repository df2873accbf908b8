#pragma once

#include <string>

#include "kubernetes/api/call.h"

namespace twofold::fakes {

/// Whether an object has the labels and fields of the selectors ("a=b,c!=d,e,!f,g in (h,i)").
/// Throws Refusal 400 for what is no selector.
bool MatchesLabels(const kube::Json& object, const std::string& selector);
bool MatchesFields(const kube::Json& object, const std::string& selector);

}  // namespace twofold::fakes
