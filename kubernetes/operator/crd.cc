#include "kubernetes/operator/crd.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/operator/group.h"
#include "kubernetes/operator/pool_crd.h"
#include "kubernetes/operator/structural.h"
#include "lib/common/program.h"
#include "lib/spec/schema.h"
#include "suites/table/table.h"

namespace twofold::benchmarks {
namespace {

constexpr std::int64_t kLongestQueue = 63;
constexpr std::int64_t kLongestFrontend = 253;
constexpr std::array kLasting = {spec::kQueueField, spec::kFrontendField, spec::kWorkersField};

// ---- the spec of a template: fields of all kinds

/// What one field is called in which kinds, in the order of the kinds.
using Texts = std::vector<std::pair<std::string, std::vector<std::string>>>;

void AddText(const std::string& text, const std::string& kind, Texts& texts) {
  for (auto& [known, kinds] : texts) {
    if (known == text) return kinds.push_back(kind);
  }
  texts.push_back({text, {kind}});
}

/// "Fio: block size; default 4M. GPU: ..."; without the kinds where all have the field.
std::string Joined(const Texts& texts, std::size_t all_kinds) {
  std::vector<std::string> parts;
  for (const auto& [text, kinds] : texts) {
    const std::string of = kinds.size() == all_kinds ? "" : absl::StrJoin(kinds, ", ");
    parts.push_back(absl::StrCat(of, of.empty() || text.empty() ? "" : ": ", text));
  }
  return absl::StrJoin(parts, ". ");
}

/// The fields that a template of some kind may have.
Schema FieldsOfAllKinds() {
  Schema fields = Schema::object();
  std::map<std::string, Texts> texts;
  const std::span<const spec::Kind> kinds = suite::Kinds();
  for (const spec::Kind& kind : kinds) {
    const Schema drafts = spec::SchemaOf(kind.fields)["properties"];
    for (const auto& [name, draft] : drafts.items()) {
      const Schema schema = Structural(draft);
      AddText(schema.value("description", ""), std::string(kind.name), texts[name]);
      fields[name] = fields.contains(name) ? Either(fields[name], schema) : schema;
    }
  }
  for (const auto& [name, of_kinds] : texts) {
    fields[name]["description"] = Joined(of_kinds, kinds.size());
  }
  return fields;
}

Schema KindNames() {
  Schema names = Schema::array();
  for (const spec::Kind& kind : suite::Kinds()) names.push_back(kind.name);
  return names;
}

Schema ObjectOf(Schema properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

/// A list of values for each field.
Schema ProductOf(const Schema& fields) {
  Schema lists = Schema::object();
  for (const auto& [name, schema] : fields.items()) {
    lists[name] = {{"type", "array"}, {"minItems", 1}, {"items", Undescribed(schema)}};
  }
  return ObjectOf(std::move(lists));
}

// ---- the spec of a Benchmark

/// How the operator deals with the object; all but kLasting may change while a run goes on.
Schema HandlingSchemas() {
  return Structural(spec::SchemaOf(spec::HandlingFields()))["properties"];
}

Schema ChangeableFields() {
  Schema fields = HandlingSchemas();
  for (const char* field : kLasting) fields.erase(field);
  return fields;
}

/// Those that make the run; they stay as they are.
Schema RunFields() {
  Schema fields = Structural(spec::SchemaOf(spec::SetFields()))["properties"];
  const Schema of_all = FieldsOfAllKinds();
  Schema& base = fields["template"]["properties"];
  base.erase("apiVersion");
  base.erase("metadata");
  base["kind"]["enum"] = KindNames();
  base["spec"] = ObjectOf(of_all);
  base["spec"]["description"] = "what all permutations have in common";
  Schema& permutations = fields["permutations"]["properties"];
  permutations["product"] = ProductOf(of_all);
  permutations["product"]["description"] =
      "field: list of values; all combinations, the last field by name varies fastest";
  permutations["explicit"]["items"] = Undescribed(ObjectOf(of_all));
  Schema handling = HandlingSchemas();
  for (const char* field : kLasting) fields[field] = std::move(handling[field]);
  fields[spec::kQueueField]["maxLength"] = kLongestQueue;
  fields[spec::kWorkersField]["properties"]["template"] = PodTemplateSchema();
  return fields;
}

/// The only word of CEL that one of our fields is, too; in rules it has another form.
constexpr std::string_view kReserved = "namespace";

/// By CEL, so that nobody is asked but the API server.
Schema RulesOf(const Schema& run_fields, const std::string& kind) {
  Schema rules = Schema::array();
  for (const auto& [name, schema] : run_fields.items()) {
    const std::string field = name == kReserved ? absl::StrCat("__", name, "__") : name;
    rules.push_back(
        {{"rule", absl::StrCat("has(self.", field, ") == has(oldSelf.", field, ") && (!has(self.",
                               field, ") || self.", field, " == oldSelf.", field, ")")},
         {"message", absl::StrCat(name, " cannot be changed: create another ", kind)}});
  }
  return rules;
}

// ---- the status

Schema Count(const char* help) {
  return {{"type", "integer"}, {"format", "int64"}, {"minimum", 0}, {"description", help}};
}

Schema ResultsSchema() {
  const Schema one = ObjectOf({{"permutation", Count("its number")},
                               {"varied", Text("the values that it varies, as JSON")},
                               {"name", Text("of the headline")},
                               {"unit", Text("")},
                               {"mean", Text("")},
                               {"halfWidth", Text("of the 95 % interval of the mean")},
                               {"jobs", Count("that it is the mean of")}});
  return {{"type", "array"},
          {"items", one},
          {"x-kubernetes-list-type", "atomic"},
          {"description", "headlines; the first ones where there are many"}};
}

Schema StatusFields() {
  Schema fields = RunStatusFields();
  fields.update({{"result", Text("the headline; of several permutations its least and most")},
                 {"results", ResultsSchema()},
                 {"lastScheduleTime", Moment("of the schedule, when it made a Benchmark")},
                 {"nextScheduleTime", Moment("when it makes the next one")},
                 {"resultsInAll", Count("headlines that the run has")}});
  fields.update(WorkerPoolField());
  return fields;
}

// ---- the definition

Schema Columns() {
  return {Column("Kind", "string", ".spec.template.kind"),
          Column("Status", "string", R"(.status.conditions[?(@.type=="Running")].reason)"),
          Column("Jobs", "integer", ".status.jobs"),
          Column("Succeeded", "integer", ".status.succeeded"),
          Column("Failed", "integer", ".status.failed"),
          Column("Result", "string", ".status.result"),
          Column("Queue", "string", ".status.queue", 1),
          Column("Schedule", "string", ".spec.schedule", 1),
          Column("Run", "string", ".status.runId", 1),
          Column("Started", "date", ".status.startTime", 1),
          Column("Finished", "date", ".status.completionTime", 1),
          Column("Age", "date", ".metadata.creationTimestamp")};
}

Schema SpecOf(const OwnKind& kind) {
  Schema fields = kind.run_fields;
  fields[spec::kFrontendField] = FrontendRefSchema();
  Schema rules = RulesOf(fields, kind.resource.kind);
  rules.push_back({{"rule", "has(self.schedule) == has(oldSelf.schedule)"},
                   {"message", "a schedule cannot be added or taken away"}});
  fields.update(ChangeableFields());
  Schema schema = ObjectOf(std::move(fields));
  schema["required"] = kind.required;
  schema["x-kubernetes-validations"] = std::move(rules);
  return schema;
}

Schema VersionOf(const OwnKind& kind) {
  Schema schema = ObjectOf({{"apiVersion", {{"type", "string"}}},
                            {"kind", {{"type", "string"}}},
                            {"metadata", {{"type", "object"}}},
                            {"spec", SpecOf(kind)},
                            {"status", ObjectOf(kind.status_fields)}});
  schema["required"] = {"spec"};
  schema["description"] = kind.description;
  return {{"name", kVersion},
          {"served", true},
          {"storage", true},
          {"schema", {{"openAPIV3Schema", std::move(schema)}}},
          {"subresources", {{"status", Schema::object()}}},
          {"additionalPrinterColumns", kind.columns}};
}

}  // namespace

Schema ConditionsSchema(const char* types) {
  Schema condition =
      ObjectOf({{"type", Text(types)},
                {"status", {{"type", "string"}, {"enum", {"True", "False", "Unknown"}}}},
                {"reason", Text("one word")},
                {"message", Text("for people")},
                {"observedGeneration", Count("metadata.generation it is about")},
                {"lastTransitionTime", Moment("when the status changed")}});
  condition["required"] = {"type", "status", "reason", "message", "lastTransitionTime"};
  return {{"type", "array"},
          {"items", std::move(condition)},
          {"x-kubernetes-list-type", "map"},
          {"x-kubernetes-list-map-keys", {"type"}}};
}

Schema RunStatusFields() {
  return {{"observedGeneration", Count("of the spec that the status is about")},
          {"conditions", ConditionsSchema("Accepted, WorkersReady, Running, Succeeded, Failed, "
                                          "ResultsStored")},
          {"runId", Text("`twofold results RUNID` shows all of it")},
          {"queue", Text("of the jobs")},
          {"startTime", Moment("when its turn came")},
          {"completionTime", Moment("when it was over")},
          {"jobs", Count("in all, as far as is known")},
          {"waiting", Count("jobs that wait for workers")},
          {"running", Count("jobs that run")},
          {"succeeded", Count("jobs")},
          {"failed", Count("jobs that failed, timed out or lost their worker")},
          {"withdrawn", Count("jobs that were cancelled")}};
}

Schema WorkerPoolField() {
  return {{"workerPool", Text("name of the WorkerPool of the run's own workers")}};
}

Schema FrontendRefSchema() {
  Schema schema = HandlingSchemas()[spec::kFrontendField];
  schema["minLength"] = 1;
  schema["maxLength"] = kLongestFrontend;
  return schema;
}

Schema Column(const char* name, const char* type, const char* path, int priority) {
  Schema column = {{"name", name}, {"type", type}, {"jsonPath", path}};
  if (priority > 0) column["priority"] = priority;
  return column;
}

Schema BenchmarkDefinition() {
  return DefinitionOf({.resource = kBenchmarks,
                       .description = "A benchmark, or a set of them, that is run once.",
                       .run_fields = RunFields(),
                       .required = {"template"},
                       .status_fields = StatusFields(),
                       .columns = Columns()});
}

Schema DefinitionOf(const OwnKind& kind) {
  const std::string version(GetBuildInfo().version);
  const kube::Resource& names = kind.resource;
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", absl::StrCat(names.plural, ".", kGroup)},
            {"labels",
             {{"app.kubernetes.io/name", "scalability-tester"},
              {"app.kubernetes.io/component", "operator"},
              {"app.kubernetes.io/part-of", "twofold"},
              {"app.kubernetes.io/version", version}}}}},
          {"spec",
           {{"group", kGroup},
            {"scope", "Namespaced"},
            {"names",
             {{"kind", names.kind},
              {"listKind", names.kind + "List"},
              {"plural", names.plural},
              {"singular", absl::AsciiStrToLower(names.kind)},
              {"categories", {"twofold"}}}},
            {"versions", Schema::array({VersionOf(kind)})}}}};
}

}  // namespace twofold::benchmarks
