#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/spec/expansion.h"
#include "suites/table/table.h"

namespace twofold::spec {

/// Two blanks more in front of every line of `text`, so often.
inline std::string Indented(const std::string& text, int times) {
  std::string indented;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    indented += std::string(static_cast<std::size_t>(times) * 2, ' ') + text.substr(at, end - at);
    at = end;
  }
  return indented;
}

/// A BenchmarkSet as kube-perftest writes it. `spec` stands in the template, `rest` beside it; both
/// end with a line break.
inline std::string SetOf(const std::string& kind, const std::string& spec,
                         const std::string& rest = "") {
  return "apiVersion: perftest.stackhpc.com/v1alpha1\nkind: BenchmarkSet\nmetadata:\n  name: set\n"
         "spec:\n  template:\n    apiVersion: perftest.stackhpc.com/v1alpha1\n    kind: " +
         kind + "\n    spec:\n" + Indented(spec, 3) + Indented(rest, 1);
}

/// A set of IPerf with the one field `duration` given.
inline std::string IPerfSet(const std::string& rest) {
  return SetOf("IPerf", "duration: 30\n", rest);
}

/// What a file comes to, or the error.
inline Result<Expansion> Expanded(const std::string& text,
                                  const std::vector<std::string>& nodes = {},
                                  const Limits& limits = {}) {
  const auto sweep = ReadSweep("f.yaml", text, suite::Kinds(), limits);
  return sweep.ok() ? Expand(*sweep, {.nodes = nodes, .limits = limits}) : sweep.status();
}

/// The same of a file that has to be right.
inline Expansion ExpandedWell(const std::string& text, const std::vector<std::string>& nodes = {}) {
  auto expansion = Expanded(text, nodes);
  EXPECT_TRUE(expansion.ok()) << expansion.status() << "\n" << text;
  return expansion.ok() ? *std::move(expansion) : Expansion();
}

/// The specs of all permutations, in order.
inline std::vector<std::string> Specs(const std::string& text) {
  std::vector<std::string> specs;
  for (const Permutation& permutation : ExpandedWell(text).permutations) {
    specs.push_back(permutation.spec);
  }
  return specs;
}

/// What is said of a file that is wrong.
inline std::string ErrorOf(const std::string& text, const std::vector<std::string>& nodes = {},
                           const Limits& limits = {}) {
  const auto expansion = Expanded(text, nodes, limits);
  return expansion.ok() ? "no error" : std::string(expansion.status().message());
}

}  // namespace twofold::spec
