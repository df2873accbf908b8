#include "lib/validate/record.h"

#include <absl/strings/str_cat.h>

#include <cstddef>

#include "lib/show/message.h"

namespace twofold::validate {
namespace {

using google::protobuf::FieldDescriptor;
using show::Json;

/// As show::ToJson, with null for what is optional and not set.
Json JsonOf(const google::protobuf::Message& message) {
  Json json = show::ToJson(message);
  const auto& descriptor = *message.GetDescriptor();
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    Json& value = json[field.name()];
    if (field.has_presence() && !reflection.HasField(message, &field)) value = nullptr;
    if (!field.is_repeated() || field.message_type() == nullptr) continue;
    for (int n = 0; n < reflection.FieldSize(message, &field); ++n) {
      value[static_cast<std::size_t>(n)] =
          JsonOf(reflection.GetRepeatedMessage(message, &field, n));
    }
  }
  return json;
}

}  // namespace

std::string LineOf(const v1::ValidationRecord& record) { return show::Line(JsonOf(record)); }

std::string TextOf(const v1::ValidationRecord& record) {
  const Json json = JsonOf(record);
  std::string text = "{";
  const char* comma = "";
  for (const auto& [key, value] : json.items()) {
    absl::StrAppend(&text, comma, "\n  ", Json(key).dump(), ": ");
    comma = ",";
    const bool is_list = value.is_array() && !value.empty() && value.front().is_object();
    if (!is_list) {
      text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
      continue;
    }
    const char* between = "[";
    for (const Json& entry : value) {
      absl::StrAppend(&text, between, "\n    ",
                      entry.dump(-1, ' ', false, Json::error_handler_t::replace));
      between = ",";
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

}  // namespace twofold::validate
