#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "lib/common/printable.h"
#include "lib/report/sources/sources.h"

namespace twofold::report {
namespace {

constexpr const char* kAccepted =
    "accepted are the files that validate-scaling.sh --json and twofold load --json write, stores "
    "(--store of a frontend, twofold results export), and ids of runs";

/// The keys of the outermost object; empty: it is no JSON object.
std::set<std::string> KeysOf(std::string_view text) {
  std::set<std::string> keys;
  const auto outermost = [&](int depth, nlohmann::json::parse_event_t event,
                             nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1 && parsed.is_string()) {
      keys.insert(parsed.get<std::string>());
    }
    return depth <= 1;  // what is deeper is read and forgotten
  };
  const auto whole = nlohmann::json::parse(text, outermost, false);
  return whole.is_discarded() ? std::set<std::string>{} : keys;
}

template <typename Message>
Result<Record> Parsed(std::string_view text, const char* what) {
  Message message;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer program
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text.data(), text.size()), &message, options);
  if (status.ok()) return Record(std::move(message));
  return absl::InvalidArgumentError(absl::StrCat(
      "looks like ", what,
      ", but: ", Printable(std::string(status.message().data(), status.message().size()), 300)));
}

}  // namespace

Result<Record> ReadRecord(std::string_view text) {
  const std::set<std::string> keys = KeysOf(text);
  if (keys.contains("steps") && keys.contains("deployment")) {
    return Parsed<v1::ValidationRecord>(text, "a result of validate-scaling.sh");
  }
  if (keys.contains("result") && keys.contains("queue")) {
    return Parsed<v1::LoadRecord>(text, "a result of twofold load");
  }
  return absl::InvalidArgumentError(
      absl::StrCat(keys.empty() ? "is not JSON with an object in it" : "is JSON of another kind",
                   "; ", kAccepted));
}

}  // namespace twofold::report
