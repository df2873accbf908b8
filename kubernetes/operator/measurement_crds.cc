#include "kubernetes/operator/measurement_crds.h"

#include <string>
#include <utility>

#include "kubernetes/operator/crd.h"
#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/structural.h"
#include "lib/spec/schema.h"

namespace twofold::benchmarks {
namespace {

/// What only runs of a frontend have.
constexpr const char* kCounts[] = {"jobs",      "waiting", "running",
                                   "succeeded", "failed",  "withdrawn"};

Schema FiguresSchema() {
  return {{"type", "array"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"name", Text("")},
              {"unit", Text("")},
              {"value", Text("")},
              {"lower", Text("of the 95 % interval")},
              {"upper", Text("")}}}}},
          {"x-kubernetes-list-type", "atomic"},
          {"description", "what was measured; the first ones where there are many"}};
}

Schema MeasuredFields() {
  Schema fields = RunStatusFields();
  for (const char* count : kCounts) fields.erase(count);
  fields["runId"] = Text("name of its Job; `kubectl logs job/NAME` shows all that it said");
  fields["queue"] = Text("in whose line it stands");
  fields.update({{"verdict", Text("pass, fail, undecided, invalid, interrupted or none")},
                 {"result", Text("the first of the figures")},
                 {"figures", FiguresSchema()},
                 {"lastScheduleTime", Moment("of the schedule, when it made an object")},
                 {"nextScheduleTime", Moment("when it makes the next one")}});
  return fields;
}

Schema MeasurementColumns() {
  return {Column("Status", "string", R"(.status.conditions[?(@.type=="Running")].reason)"),
          Column("Verdict", "string", ".status.verdict"),
          Column("Result", "string", ".status.result"),
          Column("Queue", "string", ".status.queue", 1),
          Column("Schedule", "string", ".spec.schedule", 1),
          Column("Job", "string", ".status.runId", 1),
          Column("Started", "date", ".status.startTime", 1),
          Column("Finished", "date", ".status.completionTime", 1),
          Column("Age", "date", ".metadata.creationTimestamp")};
}

yaml::Json MeasurementDefinition(const MeasurementKind& kind) {
  std::vector<std::string> required;
  for (const spec::Field& field : kind.fields) {
    if (field.need == spec::Need::kRequired) required.emplace_back(field.name);
  }
  return DefinitionOf(OwnKind{.resource = kind.object.resource,
                              .description = kind.help,
                              .run_fields = Structural(spec::SchemaOf(kind.fields))["properties"],
                              .required = std::move(required),
                              .status_fields = MeasuredFields(),
                              .columns = MeasurementColumns()});
}

}  // namespace

std::vector<yaml::Json> MeasurementDefinitions() {
  std::vector<yaml::Json> definitions;
  for (const MeasurementKind& kind : MeasurementKinds())
    definitions.push_back(MeasurementDefinition(kind));
  return definitions;
}

}  // namespace twofold::benchmarks
