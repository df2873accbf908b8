#include "lib/suite/spec.h"

#include <absl/strings/str_join.h>
#include <google/protobuf/util/json_util.h>

#include "lib/suite/text.h"

namespace twofold::suite {

Status ReadJson(std::string_view json, google::protobuf::Message& message) {
  if (json.empty()) return absl::OkStatus();
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &message);
  if (status.ok()) return absl::OkStatus();
  const auto why = status.message();
  return absl::InvalidArgumentError(
      absl::StrCat("spec: ", Quoted(std::string_view(why.data(), why.size()))));
}

Status Wrong(const char* field, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", std::string(why)));
}

Status CheckNumber(const char* field, std::uint32_t value, std::uint32_t least,
                   std::uint32_t most) {
  if (least <= value && value <= most) return absl::OkStatus();
  return Wrong(field, absl::StrCat(value, " is not from ", least, " to ", most));
}

Status CheckWord(const char* field, const std::string& value,
                 std::span<const std::string_view> words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return absl::OkStatus();
  const std::string all = absl::StrJoin(
      words, ", ", [](std::string* out, std::string_view word) { out->append(word); });
  return Wrong(field, absl::StrCat("'", Quoted(value), "' is none of ", all));
}

Status CheckPlain(const char* field, const std::string& value) {
  constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./:_,-";
  if (value.find_first_not_of(kPlain) == std::string::npos) return absl::OkStatus();
  return Wrong(field,
               absl::StrCat("'", Quoted(value), "' has more than letters, digits and ./:_,-"));
}

Status CheckSize(const Gang& gang, std::uint32_t members) {
  if (gang.members.size() == members) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("gang: it has ", gang.members.size(), " members; the spec needs ", members));
}

}  // namespace twofold::suite
