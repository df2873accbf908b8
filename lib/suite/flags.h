#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/common/result.h"

namespace CLI {
class App;
}

namespace google::protobuf {
class Descriptor;
}

/// A spec on a command line, for the programs of ours that are the workload of a suite.
namespace twofold::suite {

/// Options made from the message of a spec: the field `minsize` becomes `--minsize VALUE`, with the
/// help, words, unit and default of its rule, so nothing about a field is written a second time.
/// Beside them the spec may be given whole, as one argument in JSON; options override it.
///
///     SpecFlags flags(app, *Spec::descriptor());
///     ... parse ...
///     const Result<std::string> json = flags.Json();   // for ReadByRules<Spec>
///
/// Fields that hold messages have no option. A list takes one value an option, given repeatedly.
class SpecFlags {
 public:
  /// `app` must outlive it.
  SpecFlags(CLI::App& app, const google::protobuf::Descriptor& spec);
  ~SpecFlags();
  SpecFlags(const SpecFlags&) = delete;
  SpecFlags& operator=(const SpecFlags&) = delete;

  /// What was given, as JSON. Types and ranges are ReadByRules' to check.
  /// Errors   kInvalidArgument "spec: ...": the argument is no JSON object.
  [[nodiscard]] Result<std::string> Json() const;

 private:
  struct Flag;
  std::vector<std::unique_ptr<Flag>> flags_;
  std::string argument_;
};

}  // namespace twofold::suite
