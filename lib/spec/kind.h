#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/field.h"
#include "lib/yaml/node.h"

namespace twofold::spec {

/// What can stand behind `kind:` in a file. suites/table makes them of the protos of the suites.
struct Kind {
  std::string_view name;    ///< "IPerf"
  std::string_view suite;   ///< who runs it: "iperf"
  std::string_view help{};  ///< what it measures, in a few words
  std::string workers{};    ///< that a job takes, for people: "2", "ranks / ranksPerNode"
  std::vector<Field> fields{};
  /// Whether the suite takes a spec (JSON), as only it knows what goes together. Returns how many
  /// workers a job with it takes. Errors: kInvalidArgument "FIELD: what".
  Result<std::uint32_t> (*check)(std::string_view spec) = nullptr;
};

/// The kind with this name. Errors: kInvalidArgument, with a hint that knows the word `also`, too.
Result<const Kind*> FindKind(std::span<const Kind> kinds, std::string_view name,
                             std::string_view also = {});

/// Checks a whole spec: fields, and whether those about pods go together.
Status CheckSpec(const Kind& kind, const Node& spec);

/// What the suite gets of a checked spec: its own fields in the order written, as JSON. Left out
/// ones stay left out: defaults are the suite's business.
Json SuiteSpec(const Kind& kind, const Node& spec);

/// A label that a worker must have to run the job.
struct Requirement {
  std::string label;
  std::string value;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

/// What the placement fields of a checked spec ask of a worker. The label is named like the field,
/// with the path in front inside maps (`resources.limits.cpu`), or,
/// of a field of labels, like the key; the value is the scalar as
/// it was written, or those of the list with commas. What is not written asks nothing.
std::vector<Requirement> Requirements(const Kind& kind, const Node& spec);

}  // namespace twofold::spec
