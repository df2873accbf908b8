#include "lib/results/values.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace twofold::results {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Json = nlohmann::ordered_json;

/// Programs have arguments that are no UTF-8; nothing else comes here that is not.
void BindJson(Statement& statement, const Json& json) {
  statement.BindTemporary(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// "direction" and "reverse", or an entry of a map.
bool IsPairOfTexts(const FieldDescriptor& field) {
  const auto* const type = field.message_type();
  return type != nullptr && type->field_count() == 2 &&
         type->field(0)->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         type->field(1)->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

/// Sets the field, unless that is its default.
void SetText(Message& message, const FieldDescriptor& field, std::string text) {
  if (text.empty()) return;
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM) {
    message.GetReflection()->SetString(&message, &field, std::move(text));
  } else if (const auto* const value = FindWord(*field.enum_type(), text)) {
    message.GetReflection()->SetEnum(&message, &field, value);
  }
}

void SetList(Message& message, const FieldDescriptor& field, const Json& list) {
  const auto& reflection = *message.GetReflection();
  for (const auto& [name, value] : list.items()) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection.AddString(&message, &field, value.get<std::string>());
      continue;
    }
    Message& entry = *reflection.AddMessage(&message, &field);
    const auto* const type = field.message_type();
    if (IsPairOfTexts(field)) {
      SetText(entry, *type->field(0), name);
      SetText(entry, *type->field(1), value.get<std::string>());
    } else {
      for (int i = 0; i < type->field_count(); ++i) {
        SetText(entry, *type->field(i), value.at(type->field(i)->name()).get<std::string>());
      }
    }
  }
}

}  // namespace

void BindValue(Statement& statement, const Numbered& list) {
  for (std::size_t i = 0; i < list.marks; ++i) {
    const bool fills = i >= list.numbers.size();
    statement.BindInteger(fills ? list.filler : static_cast<std::int64_t>(list.numbers[i]));
  }
}

void BindValue(Statement& statement, const google::protobuf::RepeatedPtrField<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  BindJson(statement, list);
}

void BindValue(Statement& statement,
               const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions) {
  Json object = Json::object();
  for (const v1::Dimension& each : dimensions) object[each.name()] = each.value();
  BindJson(statement, object);
}

void BindValue(Statement& statement,
               const google::protobuf::RepeatedPtrField<v1::Column>& columns) {
  Json list = Json::array();
  for (const v1::Column& each : columns) {
    list.push_back({{"name", each.name()}, {"unit", each.unit()}, {"better", Word(each.better())}});
  }
  BindJson(statement, list);
}

// A map has no order of its own.
void BindValue(Statement& statement, const google::protobuf::Map<std::string, std::string>& map) {
  Json object = Json::object();
  for (const auto& [key, value] : std::map(map.begin(), map.end())) object[key] = value;
  BindJson(statement, object);
}

void ReadList(const std::string& json, const std::string& field, Message& message) try {
  SetList(message, *message.GetDescriptor()->FindFieldByName(field), Json::parse(json));
} catch (const nlohmann::json::exception& error) {
  throw Damaged(error.what());
}

void ReadField(const Cell& cell, const std::string& name, Message& message) {
  const auto& reflection = *message.GetReflection();
  const FieldDescriptor& field = *message.GetDescriptor()->FindFieldByName(name);
  if (field.is_repeated()) {
    if (std::string json = cell.Text(); !json.empty()) ReadList(json, name, message);
    return;
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetText(message, field, cell.Text());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.SetDouble(&message, &field, cell.Real());
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, cell.Boolean());
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(&message, &field, static_cast<std::int32_t>(cell.Integer()));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(&message, &field, static_cast<std::uint32_t>(cell.Integer()));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(&message, &field, cell.Integer());
    default:
      return reflection.SetUInt64(&message, &field, cell.Unsigned());
  }
}

}  // namespace twofold::results
