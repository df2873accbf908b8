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

// Where a spec stands: in a file, or in an object of a cluster, which has no numbers with a point.
enum class Form : std::uint8_t { kFile, kObject };

std::string DefinitionOf(const Kind& kind, Form form) {
  return fmt::format("{}{}", kind.name, form == Form::kObject ? ".object" : "");
}

Json Reference(const Kind& kind, std::string_view inside = "", Form form = Form::kFile) {
  return {{"$ref", fmt::format("#/definitions/{}{}", DefinitionOf(kind, form), inside)}};
}

// `schema`, but a number with a point is a text.
Json AsObject(Json schema) {
  if (!schema.is_structured()) return schema;
  for (Json& inner : schema) inner = AsObject(std::move(inner));
  if (!schema.is_object() || !schema.contains("type") || !schema["type"].is_array()) return schema;
  Json& types = schema["type"];
  const auto number = std::find(types.begin(), types.end(), "number");
  if (number == types.end()) return schema;
  *number = "integer";
  if (std::find(types.begin(), types.end(), "string") != types.end()) return schema;
  types.push_back("string");
  schema["pattern"] = "^[0-9]+(\\.[0-9]+)?$";
  return schema;
}

// The spec of a kind, or a part of it: what is missing may come from permutations.
Json PartOf(const Kind& kind) {
  Json schema = SchemaOf(kind.fields);
  schema.erase("required");
  schema["type"] = {"object", "null"};
  return schema;
}

// A list of values for each field.
Json ProductOf(const Kind& kind, Form form) {
  Json lists = Json::object();
  for (const Field& field : kind.fields) {
    lists[std::string(field.name)] = {
        {"type", "array"},
        {"minItems", 1},
        {"items", Reference(kind, fmt::format("/properties/{}", field.name), form)}};
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
Json InSet(const Kind& kind, Form form) {
  const Json is_template = {
      {"properties", {{"template", {{"properties", {{"kind", {{"const", kind.name}}}}}}}}}};
  const Json permutations = {
      {"properties",
       {{"product", ProductOf(kind, form)}, {"explicit", {{"items", Reference(kind, "", form)}}}}}};
  const Json then = {
      {"properties",
       {{"template", InSpec(Reference(kind, "", form))}, {"permutations", permutations}}}};
  return {{"if", is_template}, {"then", then}};
}

Json Set(std::span<const Kind> kinds, const Json& names, Form form) {
  const bool is_file = form == Form::kFile;
  Json set = is_file ? SchemaOf(SetFields()) : AsObject(SchemaOf(BenchmarkFields()));
  Json& base = set["properties"]["template"]["properties"];
  base["kind"] = {{"enum", names}};
  base["apiVersion"] = {{"enum", kApiVersions}};
  if (!is_file) {
    base.erase("apiVersion");
    base.erase("metadata");
  }
  set["allOf"] = Json::array();
  for (const Kind& kind : kinds) set["allOf"].push_back(InSet(kind, form));
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
constexpr std::int64_t kMostSeconds = 10LL * 365 * 86400;

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

Fields ClaimFields() {
  return {
      Required({"name", Text(), "", "", "by which volumes of the template name it"}),
      Required({"spec", AnyMap(), "", "", "of a PersistentVolumeClaim"}),
  };
}

Fields WorkersFields() {
  return {
      Required({"template", AnyMap(), "", "", "the pods, as a WorkerPool has it"}),
      {"replicas", Whole(1, 10'000), "1", "", "pods; the run begins when all of them are ready"},
      {"readySeconds", Whole(1, kMostSeconds), "600", "",
       "the run has failed when they are not so long after its turn has come"},
      {"claims", ListOf(ClaimFields()), "[]", "", "volumes that are made for all of them"},
      {"scheduling", OneOf({"volcano", "coscheduling", "kueue", "native"}), "", "",
       "who starts the pods all or none; else each is started where there is room"},
      {"schedulingQueue", Text(), "", "", "of Volcano; of Kueue its LocalQueue, which it needs"},
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

std::span<const Field> HandlingFields() {
  static const Fields fields = {
      {kQueueField, Text(), "", "", "of the jobs; else the one named like the suite"},
      {kFrontendField, Text(), "", "", "name of its Frontend; else default"},
      {kWorkersField, MapOf(WorkersFields()), "", "",
       "of the run alone: pods that are made for it, and go when it is over"},
      {"suspend", Flag(), "false", "",
       "true: no job begins; those that run may end. Changing it back goes on with the run"},
      {"activeDeadlineSeconds", Whole(1, kMostSeconds), "", "",
       "the run is cancelled and has failed so long after its turn has come, workers or not"},
      {"ttlSecondsAfterFinished", Whole(0, kMostSeconds), "", "",
       "the object is deleted so long after its end; the run's results stay"},
      {"schedule", Text(), "", "",
       "minute, hour, day, month and weekday as of CronJobs: at each of these times it makes a "
       "Benchmark of its own"},
      {"timeZone", Text(), "UTC", "", "of the schedule, such as Europe/Berlin"},
      {"startingDeadlineSeconds", Whole(1, kMostSeconds), "", "",
       "a time of the schedule that was missed so long ago is left out"},
  };
  return fields;
}

std::span<const Field> BenchmarkFields() {
  static const Fields fields = [] {
    Fields all(SetFields().begin(), SetFields().end());
    all.insert(all.end(), HandlingFields().begin(), HandlingFields().end());
    return all;
  }();
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

namespace {

Json AllVersions() {
  Json versions = kApiVersions;
  versions.push_back(kObjectVersion);
  return versions;
}

// One version has the one kind, and the kind that version. Fields of metadata are Kubernetes' own.
Json ObjectOrFile() {
  const Json in_object = {{"kind", {{"const", kBenchmark}}},
                          {"metadata",
                           {{"properties",
                             {{"queue", false},
                              {"runid", false},
                              {"name", {{"pattern", "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$"}}},
                              {"generateName", {{"pattern", "^[a-z0-9][-.a-z0-9]*$"}}}}}}}};
  const Json is_object = {{"properties", {{"apiVersion", {{"const", kObjectVersion}}}}}};
  const Json otherwise = {{"properties", {{"kind", {{"not", {{"const", kBenchmark}}}}}}}};
  return {{"if", is_object}, {"then", {{"properties", in_object}}}, {"else", otherwise}};
}

}  // namespace

Json JsonSchema(std::span<const Kind> kinds) {
  Json names = Json::array();
  Json definitions = Json::object();
  Json cases = Json::array();
  for (const Kind& kind : kinds) {
    names.push_back(kind.name);
    definitions[DefinitionOf(kind, Form::kFile)] = PartOf(kind);
    definitions[DefinitionOf(kind, Form::kObject)] = AsObject(PartOf(kind));
    cases.push_back(IfKind(kind.name, OneBenchmark(kind)));
  }
  cases.push_back(IfKind(kBenchmarkSet, Set(kinds, names, Form::kFile)));
  cases.push_back(IfKind(kBenchmark, Set(kinds, names, Form::kObject)));
  cases.push_back(ObjectOrFile());
  names.push_back(kBenchmarkSet);
  names.push_back(kBenchmark);
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "A benchmark, or a set of benchmarks, of Twofold"}};
  schema.update(SchemaOf(ObjectFields()));
  schema["properties"]["apiVersion"] = {{"enum", AllVersions()}};
  schema["properties"]["kind"] = {{"enum", names}};
  schema["properties"]["metadata"] = Metadata();
  schema["allOf"] = cases;
  schema["definitions"] = definitions;
  return schema;
}

}  // namespace twofold::spec
