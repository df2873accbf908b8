#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/field.h"
#include "lib/spec/json.h"
#include "lib/spec/node.h"

namespace twofold::spec {

/// How many workers a job takes: `fixed`, or what the field `members` says, or that divided by what
/// the field `each` says, rounded up.
struct GangRule {
  int fixed = 1;
  std::string_view members{};
  std::string_view each{};
};

/// One row of the table of kinds: what can stand behind `kind:` in a file.
struct Kind {
  std::string_view name;   ///< "IPerf"
  std::string_view suite;  ///< who runs it: "iperf"
  bool has_suite;          ///< false: files with it are read, but nothing runs them yet
  GangRule gang;
  std::vector<Field> fields;
  bool open = false;  ///< fields that are not in the table are passed to the suite unchecked
  /// What no single field shows: why these values do not go together; nullptr or empty: they do.
  std::string_view (*conflict)(const Node& spec) = nullptr;
};

/// All kinds, in the order of docs/sweeps.md.
std::span<const Kind> Kinds();

/// The kind with this name. Errors: kInvalidArgument, with a hint that knows the word `also`, too.
Result<const Kind*> FindKind(std::string_view name, std::string_view also = {});

/// Refuses keys of `spec` that the kind does not have.
Status CheckKeys(const Kind& kind, const Map& spec, const std::string& path);

/// Checks a whole spec: fields, and whether they go together.
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
/// with the path in front inside maps (`resources.limits.cpu`); the value is the text of the
/// scalar, or those of the list with commas. What is not written asks nothing.
std::vector<Requirement> Requirements(const Kind& kind, const Node& spec);

/// How many workers a job with this checked spec takes.
std::int64_t GangSize(const Kind& kind, const Node& spec);

}  // namespace twofold::spec
