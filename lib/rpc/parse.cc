#include "lib/rpc/parse.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <google/protobuf/stubs/logging.h>
#include <spdlog/spdlog.h>

#include <string>
#include <vector>

#include "lib/common/limited_log.h"

namespace twofold::rpc {
namespace {

namespace pb = google::protobuf;

// What protobuf has to say of the message that this thread parses. It names a field with bad text
// only in its log ("String field 'NAME' contains invalid UTF-8 data when ...").
thread_local std::string* complaint = nullptr;

void TakeComplaint(pb::LogLevel, const char*, int, const std::string& text) {
  if (complaint != nullptr) {
    *complaint = text;
    return;
  }
  static LimitedLog log;
  if (const auto others = log.Admit(Now())) spdlog::warn("protobuf: {}{}", text, *others);
}

std::string FaultIn(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '\'');
  if (parts.size() < 3) return {};
  return absl::StrCat(": ", parts[1], " is not valid UTF-8");
}

}  // namespace

Status Parse(std::string_view bytes, pb::Message& message, const TypeLimits& limits) {
  static const auto installed = pb::SetLogHandler(&TakeComplaint);
  static_cast<void>(installed);
  std::string text;
  complaint = &text;
  const bool parsed = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  complaint = nullptr;
  if (parsed) return SurelyFits(bytes, limits) ? absl::OkStatus() : CheckLimits(message);
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes are not a message ", message.GetTypeName(), FaultIn(text)));
}

}  // namespace twofold::rpc
