#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace CLI {
class App;
}

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

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

/// Options for some fields of a spec, for commands that have others beside them. The field
/// `nodeSelector` becomes `--node-selector`, or what its rule calls `flag`; what is given is set in
/// `spec`, which must outlive the parsing. A value that breaks the field's rule is an error that
/// names the option.
///
/// REQUIRES: each of `fields`, as in JSON, is a field of `spec`: a text, a list of texts, a uint32
/// or a double.
void AddFieldOptions(CLI::App& app, std::span<const std::string_view> fields,
                     google::protobuf::Message& spec);

/// What the help of such an option says of the field.
/// REQUIRES: there is this field, named as in JSON.
std::string FieldHelp(const google::protobuf::Descriptor& spec, std::string_view field);

/// What such options have to be given for `spec`: "--count=500" for each field that is set, in the
/// order of the proto.
std::vector<std::string> FieldArguments(const google::protobuf::Message& spec);

/// An error about a field as one about its option: "count: ..." becomes "--count: ...".
Status OptionError(const google::protobuf::Descriptor& spec, const Status& error);

}  // namespace twofold::suite
