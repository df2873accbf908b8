#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

/// Which objects a client means, by their labels. Pure.
namespace twofold::aggregated {

using Labels = std::map<std::string, std::string, std::less<>>;

struct Requirement {
  enum class Operator { kIn, kNotIn, kExists, kNotExists };

  std::string label;
  Operator is = Operator::kIn;
  std::vector<std::string> values = {};  ///< of kIn and kNotIn
};

/// All of them hold; none: everything matches.
using LabelSelector = std::vector<Requirement>;

/// Reads "a=b,c!=d,e,!f,g in (h,i),j notin (k)".
/// Errors   kInvalidArgument: what in it is no requirement; > and <, for labels that are numbers,
///          are refused as well.
Result<LabelSelector> ReadLabelSelector(std::string_view text);

/// Labels that an object has not differ from all values.
bool Matches(const LabelSelector& selector, const Labels& labels);

}  // namespace twofold::aggregated
