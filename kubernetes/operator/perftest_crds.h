#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/yaml/node.h"

/// The kinds of kube-perftest (perftest.stackhpc.com/v1alpha1), as its own operator defines them,
/// so that its users' objects are accepted as they are. Pure.
namespace twofold::benchmarks {

inline constexpr const char* kPerftestGroup = "perftest.stackhpc.com";

/// Their CustomResourceDefinitions, in the order of perftest/kinds.yaml. The default of `image` is
/// the image of ours that has the tool; a status also has what RunStatusFields says.
///
/// REQUIRES: perftest/kinds.yaml, which is compiled in, is as its first lines say.
std::vector<yaml::Json> PerftestDefinitions();

/// The default of `image` in the definition of this kind; empty: it has none.
std::string PerftestImage(const std::string& kind);

/// A field as perftest/kinds.yaml writes it, as a structural schema: "int >= 5 = 1000".
/// Errors   kInvalidArgument: which word is not understood.
Result<yaml::Json> PerftestField(std::string_view text);

/// perftest/kinds.yaml.
const std::string& PerftestKindsText();

}  // namespace twofold::benchmarks
