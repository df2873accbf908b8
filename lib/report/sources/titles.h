#pragma once

#include <absl/strings/str_cat.h>

#include <set>
#include <string>
#include <utility>

#include "lib/report/sources/sources.h"

namespace twofold::report {

/// A measurement or series with its dimensions: "throughput direction=reverse".
template <typename Named>
std::string TitleOf(const Named& named) {
  std::string title = named.name();
  for (const auto& each : named.dimensions()) {
    absl::StrAppend(&title, " ", each.name(), "=", each.value());
  }
  return title;
}

/// What numbers of a run are called where its permutations are set beside each other. Tools say how
/// they were run, and that is a dimension: what is varied is there twice. A dimension that has one
/// value in each permutation, and another one in some other, is left out, so that a number is the
/// same one in all of them.
class Titles {
 public:
  explicit Titles(const RunResults& results);

  template <typename Named>
  [[nodiscard]] std::string Of(const Named& named) const {
    std::string title = named.name();
    for (const auto& each : named.dimensions()) {
      if (varied_.contains({named.name(), each.name()})) continue;
      absl::StrAppend(&title, " ", each.name(), "=", each.value());
    }
    return title;
  }

 private:
  std::set<std::pair<std::string, std::string>> varied_;  // name of a number, and of a dimension
};

}  // namespace twofold::report
