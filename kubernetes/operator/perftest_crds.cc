#include "kubernetes/operator/perftest_crds.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <cstdlib>
#include <utility>

#include "kubernetes/operator/crd.h"
#include "kubernetes/operator/structural.h"
#include "lib/common/program.h"

namespace twofold::benchmarks {
namespace {

/// The first word of `text`, which loses it.
std::string TakeWord(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return word;
}

Schema TypeSchema(const std::string& type) {
  static const Schema types = Schema::parse(R"({
      "int": {"type": "integer"},
      "number": {"type": "number"},
      "bool": {"type": "boolean"},
      "text": {"type": "string"},
      "time": {"type": "string", "format": "date-time"},
      "texts": {"type": "array", "items": {"type": "string", "minLength": 1}},
      "map": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
      "any": {"x-kubernetes-preserve-unknown-fields": true},
      "lists": {"type": "object", "additionalProperties":
          {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}}},
      "maps": {"type": "array", "items":
          {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
      "int-or-text": {"x-kubernetes-int-or-string": true,
                      "anyOf": [{"type": "integer"}, {"type": "string"}]}})");
  const auto found = types.find(type);
  return found == types.end() ? Schema() : *found;
}

/// A word of an enum or a default: a number in an int, else a text; JSON where it looks so.
Schema ValueOf(const Schema& schema, const std::string& word) {
  if (schema.value("type", "") == "string") return word;
  Schema value = Schema::parse(word, nullptr, false);
  return value.is_discarded() ? Schema(word) : value;
}

bool SetRange(const std::string& word, Schema& schema) {
  const std::vector<std::string> ends = absl::StrSplit(word, "..");
  int least = 0;
  int most = 0;
  if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &least) || !absl::SimpleAtoi(ends[1], &most)) {
    return false;
  }
  schema["minimum"] = least;
  schema["maximum"] = most;
  return true;
}

/// Takes the words of one rule from `rules`. False: they are none.
bool AddRule(std::string& rules, Schema& schema) {
  const std::string word = TakeWord(rules);
  if (word == ">" || word == ">=" || word == "by") {
    const std::string number = TakeWord(rules);
    schema[word == "by" ? "multipleOf" : "minimum"] = ValueOf({{"type", "integer"}}, number);
    if (word == ">") schema["exclusiveMinimum"] = true;
  } else if (word == "not" && TakeWord(rules) == "empty") {
    schema["minLength"] = 1;
  } else if (word == "like") {
    schema["pattern"] = std::exchange(rules, "");
  } else if (word == "in") {
    for (const auto& each : absl::StrSplit(std::exchange(rules, ""), ' ')) {
      schema["enum"].push_back(ValueOf(schema, std::string(each)));
    }
  } else {
    return SetRange(word, schema);
  }
  return true;
}

/// What the file says in place of a name.
struct Names {
  const yaml::Json& pod;
};

Schema ObjectSchema(const yaml::Json& fields, const Names& names);

/// The file is ours, and compiled in: tests read all of it.
Schema FieldOrDie(std::string_view text) {
  Result<yaml::Json> field = PerftestField(text);
  if (!field.ok()) std::abort();
  return *std::move(field);
}

Schema SchemaOfValue(const yaml::Json& value, const Names& names) {
  if (value.is_array()) return {{"type", "array"}, {"items", ObjectSchema(value.at(0), names)}};
  if (value.is_object()) return ObjectSchema(value, names);
  const std::string text = value.get<std::string>();
  return text == "pod" ? ObjectSchema(names.pod, names) : FieldOrDie(text);
}

Schema ObjectSchema(const yaml::Json& fields, const Names& names) {
  if (fields.contains("*")) {
    return {{"type", "object"}, {"additionalProperties", SchemaOfValue(fields["*"], names)}};
  }
  Schema properties = Schema::object();
  Schema required = Schema::array();
  for (const auto& [name, value] : fields.items()) {
    std::string text = value.is_string() ? value.get<std::string>() : "";
    const bool is_required = text.starts_with('!');
    if (is_required) required.push_back(name);
    properties[name] = is_required ? FieldOrDie(text.substr(1)) : SchemaOfValue(value, names);
  }
  Schema schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

/// "NAME: TYPE PATH [wide]", or the name of a list of such.
void AddColumns(const yaml::Json& file, const std::string& line, Schema& columns) {
  if (file.contains(line)) {
    for (const auto& each : file[line]) AddColumns(file, each.get<std::string>(), columns);
    return;
  }
  const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(": ", 1));
  const std::vector<std::string> words = absl::StrSplit(parts.at(1), ' ');
  Schema column = {{"name", parts.at(0)}, {"type", words.at(0)}, {"jsonPath", words.at(1)}};
  if (words.size() > 2) column["priority"] = 1;
  columns.push_back(std::move(column));
}

Schema ColumnsOf(const yaml::Json& file, const yaml::Json& kind) {
  Schema columns = Schema::array();
  for (const auto& line : kind["columns"]) AddColumns(file, line.get<std::string>(), columns);
  columns.push_back(
      {{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}});
  return columns;
}

/// The kind's fields, those that all benchmarks have in front.
yaml::Json WithCommon(const yaml::Json& file, const yaml::Json& kind, const char* part) {
  yaml::Json fields = yaml::Json::object();
  const bool is_benchmark = kind.contains("image");
  if (is_benchmark) fields = file[part == std::string_view("spec") ? "common" : "status"];
  fields.update(kind[part]);
  return fields;
}

/// What a status has before anybody has written one: a phase, empty lists and maps.
Schema InitialStatus(const Schema& status) {
  Schema initial = Schema::object();
  for (const auto& [name, schema] : status["properties"].items()) {
    if (schema.contains("default")) initial[name] = schema["default"];
    if (schema.value("type", "") == "array") initial[name] = Schema::array();
    if (schema.contains("additionalProperties")) initial[name] = Schema::object();
  }
  return initial;
}

std::string ImageOf(const yaml::Json& kind) {
  if (!kind.contains("image")) return "";
  return absl::StrCat("scalability-tester-", kind["image"].get<std::string>(), ":",
                      std::string(GetBuildInfo().version));
}

Schema RootSchema(const yaml::Json& file, const yaml::Json& kind) {
  const Names names{file["pod"]};
  Schema spec = ObjectSchema(WithCommon(file, kind, "spec"), names);
  if (kind.contains("image")) spec["properties"]["image"]["default"] = ImageOf(kind);
  Schema status = ObjectSchema(WithCommon(file, kind, "status"), names);
  status["default"] = InitialStatus(status);
  Schema ours = RunStatusFields();
  ours.update(WorkerPoolField());
  for (const auto& [name, schema] : ours.items()) {
    if (!status["properties"].contains(name)) status["properties"][name] = schema;
  }
  return {{"type", "object"},
          {"properties", {{"spec", std::move(spec)}, {"status", std::move(status)}}},
          {"required", {"spec"}},
          {"x-kubernetes-preserve-unknown-fields", true}};
}

yaml::Json DefinitionOf(const yaml::Json& file, const std::string& name, const yaml::Json& kind) {
  const std::string plural = kind["plural"];
  const yaml::Json version = {{"name", "v1alpha1"},
                              {"served", true},
                              {"storage", true},
                              {"schema", {{"openAPIV3Schema", RootSchema(file, kind)}}},
                              {"subresources", {{"status", yaml::Json::object()}}},
                              {"additionalPrinterColumns", ColumnsOf(file, kind)}};
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", absl::StrCat(plural, ".", kPerftestGroup)},
            {"labels",
             {{"app.kubernetes.io/name", "scalability-tester"},
              {"app.kubernetes.io/component", "operator"},
              {"app.kubernetes.io/part-of", "twofold"},
              {"app.kubernetes.io/version", std::string(GetBuildInfo().version)}}}}},
          {"spec",
           {{"group", kPerftestGroup},
            {"scope", "Namespaced"},
            {"names",
             {{"kind", name},
              {"listKind", name + "List"},
              {"plural", plural},
              {"singular", absl::AsciiStrToLower(name)},
              {"categories", {"perftest"}}}},
            {"versions", yaml::Json::array({version})}}}};
}

yaml::Json ReadFile() {
  const auto document = yaml::ParseDocument(PerftestKindsText());
  if (!document.ok()) std::abort();
  return yaml::ToJson(**document);
}

const yaml::Json& File() {
  static const yaml::Json file = ReadFile();
  return file;
}

}  // namespace

Result<yaml::Json> PerftestField(std::string_view text) {
  std::string rules(text);
  std::string initial;
  if (const std::size_t at = rules.rfind(" = "); at != std::string::npos) {
    initial = rules.substr(at + 3);
    rules.erase(at);
  }
  Schema schema = TypeSchema(TakeWord(rules));
  bool is_right = !schema.is_null();
  while (is_right && !rules.empty()) is_right = AddRule(rules, schema);
  if (!is_right) {
    return absl::InvalidArgumentError(absl::StrCat("'", std::string(text), "' is no field"));
  }
  if (!initial.empty()) schema["default"] = ValueOf(schema, initial);
  return schema;
}

std::string PerftestImage(const std::string& kind) {
  const yaml::Json& kinds = File()["kinds"];
  return kinds.contains(kind) ? ImageOf(kinds[kind]) : "";
}

std::vector<yaml::Json> PerftestDefinitions() {
  const yaml::Json& file = File();
  std::vector<yaml::Json> definitions;
  for (const auto& [name, kind] : file["kinds"].items()) {
    definitions.push_back(DefinitionOf(file, name, kind));
  }
  return definitions;
}

}  // namespace twofold::benchmarks
