#include "lib/results/columns.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/substitute.h>
#include <sqlite3.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "lib/words/word.h"

namespace twofold::results {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

// ---- One value of a list

/// "direction" and "reverse", or an entry of a map.
bool IsPairOfTexts(const FieldDescriptor& field) {
  const auto* const type = field.message_type();
  return type != nullptr && type->field_count() == 2 &&
         type->field(0)->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         type->field(1)->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

std::string TextOf(const Message& message, const FieldDescriptor& field) {
  return message.GetReflection()->GetString(message, &field);
}

/// Texts and enums are all that messages in lists have.
Json ObjectOf(const Message& message) {
  Json object = Json::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    const bool is_enum = field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM;
    object[field.name()] =
        is_enum ? Word(*message.GetReflection()->GetEnum(message, &field)) : TextOf(message, field);
  }
  return object;
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

// ---- Lists

Json ListOf(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, &field);
  const bool is_object = IsPairOfTexts(field);
  Json list = is_object ? Json::object() : Json::array();
  for (int i = 0; i < size; ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      list.push_back(reflection.GetRepeatedString(message, &field, i));
      continue;
    }
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    if (is_object) {
      list[TextOf(entry, *field.message_type()->field(0))] =
          TextOf(entry, *field.message_type()->field(1));
    } else {
      list.push_back(ObjectOf(entry));
    }
  }
  // A map has no order of its own.
  return field.is_map() ? Json(nlohmann::json(list)) : list;
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

// ---- Fields

std::string ListText(const Message& message, const FieldDescriptor& field) {
  // Most are empty, and JSON takes its time.
  const bool is_empty = message.GetReflection()->FieldSize(message, &field) == 0;
  if (is_empty) return IsPairOfTexts(field) ? "{}" : "[]";
  // Programs have arguments that are no UTF-8; nothing else comes here that is not.
  return ListOf(message, field).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Texts of the message without a copy.
void BindField(const Message& message, const Reflection& reflection, const FieldDescriptor& field,
               SQLite::Statement& statement, int index) {
  const auto number = [&](auto value) { statement.bind(index, static_cast<std::int64_t>(value)); };
  std::string none;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string& text = reflection.GetStringReference(message, &field, &none);
      if (field.type() != FieldDescriptor::TYPE_BYTES) return statement.bindNoCopy(index, text);
      return statement.bindNoCopy(index, text.data(), static_cast<int>(text.size()));
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      return statement.bind(index, Word(*reflection.GetEnum(message, &field)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return statement.bind(index, reflection.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return number(reflection.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_INT32:
      return number(reflection.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return number(reflection.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return number(reflection.GetInt64(message, &field));
    default:
      return number(reflection.GetUInt64(message, &field));
  }
}

void SetField(Message& message, const FieldDescriptor& field, const SQLite::Column& column) {
  const auto& reflection = *message.GetReflection();
  const auto number = [&] { return static_cast<std::uint64_t>(column.getInt64()); };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetText(message, field, column.getString());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.SetDouble(&message, &field, column.getDouble());
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, number() != 0);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(&message, &field, column.getInt());
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(&message, &field, column.getUInt());
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(&message, &field, column.getInt64());
    default:
      return reflection.SetUInt64(&message, &field, number());
  }
}

void AddTo(Message& message, const FieldDescriptor& field, const std::string& json) try {
  SetList(message, field, Json::parse(json));
} catch (const nlohmann::json::exception& error) {
  throw SQLite::Exception(error.what(), SQLITE_CORRUPT);
}

}  // namespace

Columns::Columns(const google::protobuf::Descriptor& message, std::string_view fields) {
  for (std::string path : std::vector<std::string>(absl::StrSplit(std::string(fields), ' '))) {
    Column& column = columns_.emplace_back();
    column.empty_is_nothing = path.ends_with('?');
    if (column.empty_is_nothing) path.pop_back();
    const google::protobuf::Descriptor* within = &message;
    for (const std::string& name : std::vector<std::string>(absl::StrSplit(path, '.'))) {
      if (column.field != nullptr) column.parents.push_back(column.field);
      column.field = within->FindFieldByName(name);
      within = column.field->message_type();
    }
    column.is_list = column.field->is_repeated();
  }
}

const Message& Columns::Column::In(const Message& message) const {
  const Message* within = &message;
  for (const FieldDescriptor* parent : parents) {
    within = &within->GetReflection()->GetMessage(*within, parent);
  }
  return *within;
}

std::string Columns::List(std::string_view pattern, std::string_view between) const {
  return absl::StrJoin(columns_, std::string(between), [&](std::string* out, const Column& column) {
    absl::SubstituteAndAppend(out, std::string(pattern), column.field->name());
  });
}

void Columns::Bind(const Message& message, SQLite::Statement& statement, int* index) const {
  static const std::string nothing;
  const Reflection& own = *message.GetReflection();
  for (const Column& column : columns_) {
    const bool is_own = column.parents.empty();
    const Message& within = is_own ? message : column.In(message);
    const Reflection& reflection = is_own ? own : *within.GetReflection();
    const FieldDescriptor& field = *column.field;
    const int at = (*index)++;
    if (!column.is_list) {
      BindField(within, reflection, field, statement, at);
    } else if (column.empty_is_nothing && reflection.FieldSize(within, &field) == 0) {
      statement.bindNoCopy(at, nothing);
    } else {
      statement.bind(at, ListText(within, field));
    }
  }
}

void Columns::Read(const SQLite::Statement& row, int first, Message& message) const {
  for (const Column& column : columns_) {
    const SQLite::Column value = row.getColumn(first++);
    if (column.is_list) {
      if (!column.empty_is_nothing || value.getBytes() > 0) {
        AddTo(message, *column.field, value.getString());
      }
      continue;
    }
    // A message within this one is there if something in it is.
    if (!column.parents.empty() && value.getInt64() == 0) continue;
    Message* within = &message;
    for (const FieldDescriptor* parent : column.parents) {
      within = within->GetReflection()->MutableMessage(within, parent);
    }
    SetField(*within, *column.field, value);
  }
}

void ReadList(const std::string& json, const std::string& field, Message& message) {
  AddTo(message, *message.GetDescriptor()->FindFieldByName(field), json);
}

}  // namespace twofold::results
