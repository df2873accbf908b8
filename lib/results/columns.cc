#include "lib/results/columns.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/substitute.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "lib/results/values.h"
#include "lib/words/word.h"

namespace twofold::results {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

// ---- Lists as JSON

/// "direction" and "reverse", or an entry of a map.
bool IsPairOfTexts(const FieldDescriptor& field) {
  const auto* const type = field.message_type();
  return type != nullptr && type->field_count() == 2 &&
         type->field(0)->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
         type->field(1)->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

void AppendQuoted(const std::string& text, std::string& json) {
  const auto is_plain = [](char c) { return ' ' <= c && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    absl::StrAppend(&json, "\"", text, "\"");
  } else {
    // Programs have arguments that are no UTF-8; nothing else comes here that is not.
    json += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void AppendText(const Message& message, const FieldDescriptor& field, std::string& json) {
  const Reflection& reflection = *message.GetReflection();
  std::string none;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    AppendQuoted(Word(*reflection.GetEnum(message, &field)), json);
  } else {
    AppendQuoted(reflection.GetStringReference(message, &field, &none), json);
  }
}

/// Texts and enums are all that messages in lists have.
void AppendObject(const Message& message, std::string& json) {
  const auto* const type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    absl::StrAppend(&json, i == 0 ? "{" : ",", "\"", type->field(i)->name(), "\":");
    AppendText(message, *type->field(i), json);
  }
  json += '}';
}

void AppendEntry(const Message& entry, bool is_pair, std::string& json) {
  if (!is_pair) return AppendObject(entry, json);
  AppendText(entry, *entry.GetDescriptor()->field(0), json);
  json += ':';
  AppendText(entry, *entry.GetDescriptor()->field(1), json);
}

void AppendList(const Message& message, const FieldDescriptor& field, std::string& json) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, &field);
  const bool is_object = IsPairOfTexts(field);
  std::string none;
  json += is_object ? '{' : '[';
  for (int i = 0; i < size; ++i) {
    if (i > 0) json += ',';
    if (field.message_type() == nullptr) {
      AppendQuoted(reflection.GetRepeatedStringReference(message, &field, i, &none), json);
    } else {
      AppendEntry(reflection.GetRepeatedMessage(message, &field, i), is_object, json);
    }
  }
  json += is_object ? '}' : ']';
}

std::string ListText(const Message& message, const FieldDescriptor& field) {
  std::string json;
  AppendList(message, field, json);
  // A map has no order of its own.
  return field.is_map() ? nlohmann::json::parse(json).dump() : json;
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

void AddTo(Message& message, const FieldDescriptor& field, const std::string& json) try {
  SetList(message, field, Json::parse(json));
} catch (const nlohmann::json::exception& error) {
  throw SQLite::Exception(error.what(), SQLITE_CORRUPT);
}

// ---- Fields

std::int64_t NumberOf(const Message& message, const Reflection& reflection,
                      const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.GetEnumValue(message, &field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.GetInt64(message, &field);
    default:
      return static_cast<std::int64_t>(reflection.GetUInt64(message, &field));
  }
}

/// Texts of the message without a copy.
void BindField(const Message& message, const Reflection& reflection, const FieldDescriptor& field,
               SQLite::Statement& statement, int index) {
  std::string none;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string& text = reflection.GetStringReference(message, &field, &none);
      if (field.type() == FieldDescriptor::TYPE_BYTES) {
        return BindValue(statement, index, Blob{text});
      }
      return BindValue(statement, index, text);
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      return statement.bind(index, Word(*reflection.GetEnum(message, &field)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return statement.bind(index, reflection.GetDouble(message, &field));
    default:
      return BindValue(statement, index, NumberOf(message, reflection, field));
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

std::string Columns::List(const std::string& pattern, const std::string& between) const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.field->name());
  return JoinNames(names, pattern, between);
}

std::string Columns::Key(const Message& message) const {
  // Numbers have one size, the size of texts stands before them, and lists show where they end.
  const auto append = [](std::int64_t number, std::string& key) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  std::string key;
  key.reserve(256);
  std::string none;
  for (const Column& column : columns_) {
    const Message& within = column.In(message);
    const Reflection& reflection = *within.GetReflection();
    if (column.is_list) {
      AppendList(within, *column.field, key);
    } else if (column.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string& text = reflection.GetStringReference(within, column.field, &none);
      append(static_cast<std::int64_t>(text.size()), key);
      key += text;
    } else {
      append(NumberOf(within, reflection, *column.field), key);
    }
  }
  return key;
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

std::string JoinNames(const std::vector<std::string>& names, const std::string& pattern,
                      const std::string& between) {
  return absl::StrJoin(names, between, [&](std::string* out, const std::string& name) {
    absl::SubstituteAndAppend(out, pattern, name);
  });
}

void ReadList(const std::string& json, const std::string& field, Message& message) {
  AddTo(message, *message.GetDescriptor()->FindFieldByName(field), json);
}

}  // namespace twofold::results
