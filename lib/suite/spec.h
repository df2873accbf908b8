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

/// Specs: JSON to messages, and what is allowed in them, as tables.
namespace twofold::suite {

/// Fills `message` with what `json` says; empty text is {}.
/// Errors   kInvalidArgument: not JSON, an unknown field, a value of the wrong type; which.
Status ReadJson(std::string_view json, google::protobuf::Message& message);

/// A whole number from `least` to `most`, which includes its default.
template <typename Spec>
struct NumberRule {
  const char* field;  ///< as in JSON
  std::uint32_t (Spec::*get)() const;
  std::uint32_t least;
  std::uint32_t most;
};

/// One of some words.
template <typename Spec>
struct WordRule {
  const char* field;
  const std::string& (Spec::*get)() const;
  std::span<const std::string_view> words;
};

/// Errors   kInvalidArgument "FIELD: VALUE is not from LEAST to MOST".
Status CheckNumber(const char* field, std::uint32_t value, std::uint32_t least, std::uint32_t most);
/// Errors   kInvalidArgument "FIELD: 'VALUE' is none of A, B".
Status CheckWord(const char* field, const std::string& value,
                 std::span<const std::string_view> words);

/// Errors   kInvalidArgument: the first rule that is broken.
template <typename Spec, std::size_t kNumbers>
Status CheckNumbers(const Spec& spec, const NumberRule<Spec> (&rules)[kNumbers]) {
  for (const auto& rule : rules) {
    Status status = CheckNumber(rule.field, (spec.*rule.get)(), rule.least, rule.most);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename Spec, std::size_t kWords>
Status CheckWords(const Spec& spec, const WordRule<Spec> (&rules)[kWords]) {
  for (const auto& rule : rules) {
    Status status = CheckWord(rule.field, (spec.*rule.get)(), rule.words);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

/// Letters, digits and . / : _ , - only, as names, addresses and networks have. mpirun passes them
/// on inside a line of shell. Errors   kInvalidArgument "FIELD: ...".
Status CheckPlain(const char* field, const std::string& value);

/// A path that becomes an argument: 1 to 1024 bytes, no control characters, no "..", no - at its
/// beginning. Errors   kInvalidArgument "FIELD: ...".
Status CheckPath(const char* field, const std::string& path);

/// A path that becomes a part of a line in a file of the tool's: in addition no more than letters,
/// digits and . / _ + @ = , - in it, so that nothing ends it or is expanded in it. Errors   as
/// above.
Status CheckPathInFile(const char* field, const std::string& path);

/// Adds to GangPlan::unlisted what field `field` has beyond its word list.
void AddUnlisted(GangPlan& plan, const char* field, std::string_view what);

/// "FIELD: why".
Status Wrong(const char* field, std::string_view why);

/// Errors   kInvalidArgument: the gang has another size than the spec asks for, or a member has an
///          address that is none.
Status CheckGang(const Gang& gang, std::uint32_t members);

}  // namespace twofold::suite
