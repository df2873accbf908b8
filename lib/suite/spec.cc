#include "lib/suite/spec.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <google/protobuf/util/json_util.h>

#include <vector>

#include "lib/suite/text.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

constexpr std::size_t kMaxPathBytes = 1024;

// A host name, or an IP address with a zone; it becomes an argument, or a part of one. A worker
// that knows none gives the empty one.
bool IsAddress(std::string_view text) {
  constexpr std::string_view kOfAddresses =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_%-";
  return !text.starts_with('-') && text.find_first_not_of(kOfAddresses) == std::string_view::npos;
}

google::protobuf::util::JsonParseOptions OptionsFor(const google::protobuf::Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = message.GetDescriptor()->options().GetExtension(v1::spec).open();
  return options;
}

}  // namespace

Status ReadJson(std::string_view json, google::protobuf::Message& message) {
  if (json.empty()) return absl::OkStatus();
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &message, OptionsFor(message));
  if (status.ok()) return absl::OkStatus();
  const auto why = status.message();
  return absl::InvalidArgumentError(
      absl::StrCat("spec: ", Quoted(std::string_view(why.data(), why.size()))));
}

Status Wrong(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(field), ": ", std::string(why)));
}

void AddUnlisted(GangPlan& plan, std::string_view field, std::string_view what) {
  plan.unlisted.push_back(absl::StrCat(std::string(field), ": '", Quoted(what), "'"));
}

Status CheckNumber(std::string_view field, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  if (least <= value && value <= most) return absl::OkStatus();
  return Wrong(field, absl::StrCat(value, " is not from ", least, " to ", most));
}

Status CheckWord(std::string_view field, std::string_view value,
                 std::span<const std::string_view> words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return absl::OkStatus();
  const std::string all = absl::StrJoin(
      words, ", ", [](std::string* out, std::string_view word) { out->append(word); });
  return Wrong(field, absl::StrCat("'", Quoted(value), "' is none of ", all));
}

Status CheckPlain(std::string_view field, const std::string& value) {
  constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./:_,-";
  if (value.find_first_not_of(kPlain) == std::string::npos) return absl::OkStatus();
  return Wrong(field,
               absl::StrCat("'", Quoted(value), "' has more than letters, digits and ./:_,-"));
}

Status CheckPath(std::string_view field, const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  const bool good = !path.empty() && path.size() <= kMaxPathBytes && path[0] != '-' &&
                    std::none_of(path.begin(), path.end(), absl::ascii_iscntrl) &&
                    std::find(parts.begin(), parts.end(), "..") == parts.end();
  if (good) return absl::OkStatus();
  return Wrong(field, absl::StrCat("'", Quoted(path), "' is no path, or has '..' in it"));
}

Status CheckPathInFile(std::string_view field, const std::string& path) {
  constexpr char kOfPaths[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_+@=,-";
  Status status = CheckPath(field, path);
  if (!status.ok() || path.find_first_not_of(kOfPaths) == std::string::npos) return status;
  return Wrong(field,
               absl::StrCat("'", Quoted(path), "' has more than letters, digits and ./_+@=,-"));
}

Status CheckGang(const Gang& gang, std::uint32_t members) {
  if (gang.members.size() != members) {
    return absl::InvalidArgumentError(
        absl::StrCat("gang: it has ", gang.members.size(), " members; the spec needs ", members));
  }
  for (const Member& member : gang.members) {
    if (IsAddress(member.address)) continue;
    return Wrong("gang", absl::StrCat("'", Quoted(member.address), "' is no address of a member"));
  }
  return absl::OkStatus();
}

}  // namespace twofold::suite
