#include "lib/rpc/wire.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <spdlog/spdlog.h>

#include <string>
#include <vector>

#include "lib/common/limited_log.h"
#include "lib/rpc/field_limits.h"

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

/// The bytes of a message. gRPC's reader hands out compressed ones as they are.
class Reader final : public grpc::ProtoBufferReader {
 public:
  using ProtoBufferReader::ProtoBufferReader;
  bool is_compressed() { return reader()->buffer_in->data.raw.compression != GRPC_COMPRESS_NONE; }
};

std::string Reason(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '\'');
  if (parts.size() < 3) return {};
  return absl::StrCat(": ", parts[1], " is not valid UTF-8");
}

/// `parse()` parses `message`, and says whether it could.
template <typename Parsing>
Status Explain(const pb::Message& message, Parsing&& parse) {
  static const auto installed = pb::SetLogHandler(&TakeComplaint);
  static_cast<void>(installed);
  std::string text;
  complaint = &text;
  const bool parsed = parse();
  complaint = nullptr;
  if (parsed) return CheckLimits(message);
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes are not a message ", message.GetTypeName(), Reason(text)));
}

}  // namespace

Status Parse(const grpc::ByteBuffer& bytes, pb::Message& message) {
  grpc::ByteBuffer reference = bytes;  // the reader wants to own what it reads: a count, no copy
  Reader reader(&reference);
  if (reader.status().ok() && reader.is_compressed()) {
    return absl::UnimplementedError("compressed messages are not taken");
  }
  return Explain(message,
                 [&] { return reader.status().ok() && message.ParseFromZeroCopyStream(&reader); });
}

Status Parse(std::string_view bytes, pb::Message& message) {
  return Explain(message, [&] {
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  });
}

grpc::ByteBuffer Serialize(const pb::Message& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  const grpc::Status status =
      grpc::SerializationTraits<pb::Message>::Serialize(message, &bytes, &own);
  if (!status.ok()) spdlog::error("cannot serialize: {}", status.error_message());
  return bytes;
}

}  // namespace twofold::rpc
