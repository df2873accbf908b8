#pragma once

#include <absl/strings/str_cat.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/suite/plan.h"

namespace twofold::v1 {
class FieldRule;
}

/// Specs: JSON to messages, and what is allowed in them.
namespace twofold::suite {

/// Fills `message` with what `json` says; empty text is {}.
/// Errors   kInvalidArgument: not JSON, an unknown field, a value of the wrong type; which.
Status ReadJson(std::string_view json, google::protobuf::Message& message);

/// Checks the rules beside the fields of a spec's proto (twofold/v1/spec/rules.proto), those of
/// messages inside it too. What has no effect, and what is left out, is not looked at.
/// Errors   kInvalidArgument "FIELD: why", FIELD as in JSON; the first in the order of the proto.
Status CheckRules(const google::protobuf::Message& spec);

/// The same of one field of `spec`.
Status CheckRule(const google::protobuf::Message& spec,
                 const google::protobuf::FieldDescriptor& field);

/// A spec as JSON that keeps the rules of its proto. Errors as those of the two above.
template <typename Spec>
Result<Spec> ReadByRules(std::string_view json) {
  Spec spec;
  Status status = ReadJson(json, spec);
  if (status.ok()) status = CheckRules(spec);
  if (!status.ok()) return status;
  return spec;
}

/// The same, and then what `check(spec)` says of several fields together; it may complete the spec.
template <typename Spec, typename Check>
Result<Spec> ReadByRules(std::string_view json, Check&& check) {
  Result<Spec> spec = ReadByRules<Spec>(json);
  if (!spec.ok()) return spec;
  if (Status status = check(*spec); !status.ok()) return status;
  return spec;
}

/// What a text that keeps `rule` is called, for people: "time such as 30s or 1h30m"; empty: any
/// text does.
std::string LikeOf(const v1::FieldRule& rule);

/// What a field is when it is left out, for people; empty: nothing.
std::string DefaultText(const google::protobuf::FieldDescriptor& field);

/// How many workers a job with this spec takes, by the rule of its message.
/// REQUIRES: CheckRules.
std::uint32_t Workers(const google::protobuf::Message& spec);

/// Errors   kInvalidArgument "FIELD: VALUE is not from LEAST to MOST".
Status CheckNumber(std::string_view field, std::int64_t value, std::int64_t least,
                   std::int64_t most);
/// Errors   kInvalidArgument "FIELD: 'VALUE' is none of A, B".
Status CheckWord(std::string_view field, std::string_view value,
                 std::span<const std::string_view> words);

/// Letters, digits and . / : _ , - only, as names, addresses and networks have. mpirun passes them
/// on inside a line of shell.
///
/// Errors   kInvalidArgument "FIELD: ...".
Status CheckPlain(std::string_view field, const std::string& value);

/// A path that becomes an argument: 1 to 1024 bytes, no control characters, no "..", no - at its
/// beginning.
///
/// Errors   kInvalidArgument "FIELD: ...".
Status CheckPath(std::string_view field, const std::string& path);

/// A path that becomes a part of a line in a file of the tool's: in addition no more than letters,
/// digits and . / _ + @ = , - in it, so that nothing ends it or is expanded in it.
///
/// Errors   as above.
Status CheckPathInFile(std::string_view field, const std::string& path);

/// Adds to GangPlan::unlisted what field `field` has beyond its word list.
void AddUnlisted(GangPlan& plan, std::string_view field, std::string_view what);

/// "FIELD: why".
Status Wrong(std::string_view field, std::string_view why);

/// Errors   kInvalidArgument: the gang has another size than the spec asks for, or a member has an
///          address that is none.
Status CheckGang(const Gang& gang, std::uint32_t members);

/// Suite::check by the function that reads a spec: from JSON to a message, checked.
template <auto kRead>
Result<std::uint32_t> CheckBy(std::string_view json) {
  const auto spec = kRead(json);
  if (!spec.ok()) return spec.status();
  return Workers(*spec);
}

/// Suite::plan by the same function, and by the one that plans for a spec and a gang that fits it.
template <auto kRead, auto kPlan>
Result<GangPlan> PlanBy(std::string_view json, const Gang& gang) {
  const auto spec = kRead(json);
  if (!spec.ok()) return spec.status();
  if (Status status = CheckGang(gang, Workers(*spec)); !status.ok()) return status;
  return kPlan(*spec, gang);
}

}  // namespace twofold::suite
