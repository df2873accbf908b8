#include "lib/spec/schema.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "lib/spec/sweep.h"
#include "lib/yaml/node.h"

namespace twofold::spec {
namespace {

// What editors show beside a field.
std::string HelpOf(const Field& field) {
  if (field.unit.empty()) return std::string(field.help);
  return fmt::format("{}{}[{}]", field.help, field.help.empty() ? "" : " ", field.unit);
}

Json SchemaOf(const Field& field) {
  Json schema = field.type.schema(field.type);
  if (IsSeconds(field)) {
    Json time = Time().schema(Time());
    time["type"] = "string";
    schema = {{"anyOf", {std::move(schema), std::move(time)}}};
  }
  const Node initial{yaml::PlainScalar(field.initial), {}};
  const bool has_initial = !field.initial.empty() && FieldsIn(field.type).empty();
  // What holds anyway may be written, too, though it may be none of the others, as 0 is no size.
  if (has_initial && IsText(field.type) && !field.type.mismatch(field.type, initial).empty()) {
    Json as_written = {{"enum", {field.initial, ToJson(initial)}}};
    schema = {{"anyOf", {std::move(schema), std::move(as_written)}}};
  }
  if (const std::string help = HelpOf(field); !help.empty()) schema["description"] = help;
  if (has_initial) schema["default"] = ToJson(initial);
  return schema;
}

Json RequiredOf(std::span<const Field> fields) {
  Json names = Json::array();
  for (const Field& field : fields) {
    if (field.need == Need::kRequired) names.push_back(field.name);
  }
  return names;
}

Json Reference(const Kind& kind, std::string_view inside = "") {
  return {{"$ref", fmt::format("#/definitions/{}{}", kind.name, inside)}};
}

// The spec of a kind, or a part of it: what is missing may come from permutations.
Json PartOf(const Kind& kind) {
  Json schema = SchemaOf(kind.fields);
  schema.erase("required");
  schema["type"] = {"object", "null"};
  return schema;
}

// A list of values for each field.
Json ProductOf(const Kind& kind) {
  Json lists = Json::object();
  for (const Field& field : kind.fields) {
    lists[std::string(field.name)] = {
        {"type", "array"},
        {"minItems", 1},
        {"items", Reference(kind, fmt::format("/properties/{}", field.name))}};
  }
  return {{"properties", lists}, {"additionalProperties", false}};
}

Json IfKind(std::string_view name, Json then) {
  return {{"if", {{"properties", {{"kind", {{"const", name}}}}}}}, {"then", std::move(then)}};
}

Json InSpec(Json schema) { return {{"properties", {{"spec", std::move(schema)}}}}; }

Json OneBenchmark(const Kind& kind) {
  const Json required = RequiredOf(kind.fields);
  if (required.empty()) return InSpec(Reference(kind));
  Json then = InSpec({{"allOf", {Reference(kind), {{"required", required}}}}});
  then["required"] = {"spec"};
  return then;
}

// What a set may say of a template of this kind.
Json InSet(const Kind& kind) {
  const Json is_template = {
      {"properties", {{"template", {{"properties", {{"kind", {{"const", kind.name}}}}}}}}}};
  const Json permutations = {
      {"properties", {{"product", ProductOf(kind)}, {"explicit", {{"items", Reference(kind)}}}}}};
  const Json then = {
      {"properties", {{"template", InSpec(Reference(kind))}, {"permutations", permutations}}}};
  return {{"if", is_template}, {"then", then}};
}

Json Set(std::span<const Kind> kinds, const Json& names) {
  Json set = SchemaOf(SetFields());
  set["properties"]["template"]["properties"]["kind"] = {{"enum", names}};
  set["properties"]["template"]["properties"]["apiVersion"] = {{"enum", kApiVersions}};
  set["allOf"] = Json::array();
  for (const Kind& kind : kinds) set["allOf"].push_back(InSet(kind));
  Json then = InSpec(std::move(set));
  then["required"] = {"spec"};
  return then;
}

constexpr const char* kMetadataHelp =
    "name: what the run is called, else generateName without its '-'; runid: its id, by which it "
    "is run once; queue: of its jobs";

Json Metadata() {
  const std::string pattern = fmt::format("^[{}]{{1,{}}}$", kNameCharacters, kLongestName);
  return {{"type", "object"},
          {"anyOf", {{{"required", {"name"}}}, {{"required", {"generateName"}}}}},
          {"properties",
           {{"name", {{"type", "string"}, {"pattern", pattern}}},
            {"generateName", {{"type", "string"}}},
            {"runid", {{"type", {"string", "integer", "null"}}}},
            {"queue", {{"type", {"string", "integer", "null"}}}}}},
          {"description", kMetadataHelp}};
}

using Fields = std::vector<Field>;

constexpr std::int64_t kMostRepetitions = 100'000;

Fields TemplateFields() {
  return {
      {"apiVersion", Text(), "", "", "that of the set if left out"},
      {"metadata", AnyMap(), "", "", "not used"},
      Required({"kind", Text(), "", "", "kind of the benchmark"}),
      {"spec", AnyMap(), "{}", "", "what all permutations have in common"},
  };
}

Fields PermutationFields() {
  return {
      {"product", AnyMap(), "{}", "", "field: list of values; all combinations"},
      {"explicit", AnyList(), "[]", "", "list of maps; each is one permutation"},
  };
}

Fields LimitFields() {
  return {
      {"job", Time(), "", "", "longest run time of a job"},
      {"run", Time(), "", "", "longest time of the whole run"},
  };
}

Fields NodeFields() {
  return {
      Required({"select", Texts(), "", "", "names or patterns of nodes"}),
      {"combinations", Whole(1, 4096), "1", "", "nodes of one permutation"},
  };
}

Fields SampleFields() {
  return {
      Required({"count", Whole(1), "", "", "so many permutations"}),
      {"seed", Whole(0), "1", "", "another seed, another sample"},
  };
}

Fields UntilFields() {
  return {
      Required({"relativeInterval", Percent(), "", "",
                "half the 95 % interval of the mean headline, as a share of the mean"}),
      Required({"max", Whole(2, kMostRepetitions), "", "", "repetitions at most"}),
  };
}

}  // namespace

std::span<const Field> SetFields() {
  static const Fields fields = {
      Required({"template", MapOf(TemplateFields()), "", "", "the benchmark"}),
      {"permutations", MapOf(PermutationFields()), "{}", "", "what is varied"},
      {"repetitions", Whole(1, kMostRepetitions), "1", "", "with until: the least, else 8"},
      {"order", OneOf({kOrderNames.begin(), kOrderNames.end()}), "consecutive", "", ""},
      {"seed", Whole(0), "1", "", "of order: shuffled"},
      {"warmup", Whole(0, kMostRepetitions), "0", "", "repetitions that are not measured"},
      {"maxParallel", Whole(1, 1'000'000), "1", "",
       "jobs that run at once; more than one measure each other"},
      {"failFast", Flag(), "false", "", "the first failure ends the run"},
      {"timeLimits", MapOf(LimitFields()), "", "", ""},
      {"nodes", MapOf(NodeFields()), "", "", "each permutation on every combination of nodes"},
      {"sample", MapOf(SampleFields()), "", "", "only some permutations"},
      {"until", MapOf(UntilFields()), "", "", "repeat until the result is known so well"},
  };
  return fields;
}

std::span<const Field> ObjectFields() {
  static const Fields fields = {
      Required({"apiVersion", Text(), "", "", ""}),
      Required({"kind", Text(), "", "", ""}),
      Required({"metadata", AnyMap(), "", "", kMetadataHelp}),
      {"spec", AnyMap(), "{}", "", ""},
      {"status", AnyMap(), "", "", "not used: written by Kubernetes"},
  };
  return fields;
}

Json SchemaOf(std::span<const Field> fields) {
  Json properties = Json::object();
  for (const Field& field : fields) properties[std::string(field.name)] = SchemaOf(field);
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  const Json required = RequiredOf(fields);
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json JsonSchema(std::span<const Kind> kinds) {
  Json names = Json::array();
  Json definitions = Json::object();
  Json cases = Json::array();
  for (const Kind& kind : kinds) {
    names.push_back(kind.name);
    definitions[std::string(kind.name)] = PartOf(kind);
    cases.push_back(IfKind(kind.name, OneBenchmark(kind)));
  }
  cases.push_back(IfKind(kBenchmarkSet, Set(kinds, names)));
  names.push_back(kBenchmarkSet);
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "A benchmark, or a set of benchmarks, of Twofold"}};
  schema.update(SchemaOf(ObjectFields()));
  schema["properties"]["apiVersion"] = {{"enum", kApiVersions}};
  schema["properties"]["kind"] = {{"enum", names}};
  schema["properties"]["metadata"] = Metadata();
  schema["allOf"] = cases;
  schema["definitions"] = definitions;
  return schema;
}

}  // namespace twofold::spec
