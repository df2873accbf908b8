#include "kubernetes/operator/measurement.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kubernetes/operator/group.h"
#include "lib/spec/schema.h"
#include "lib/suite/flags.h"
#include "lib/validate/options.h"
#include "suites/lifecycle/lifecycle.h"
#include "suites/table/table.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using Words = std::vector<std::string>;

constexpr std::size_t kLongestOfJob = 26;   // bytes of a Job's name before the uid: 63 in all
constexpr std::size_t kMostWords = 1000;    // of a list
constexpr std::size_t kLongestWord = 4096;  // bytes
constexpr std::string_view kBackend = "scalability-tester-backend-";

/// A field, and the option that it becomes. Empty: words behind all options, in the order of the
/// rows.
struct Row {
  spec::Field field;
  const char* option;
};
using Rows = std::vector<Row>;

std::vector<spec::Field> FieldsOf(const Rows& rows) {
  std::vector<spec::Field> fields;
  for (const Row& row : rows) fields.push_back(row.field);
  return fields;
}

// ---- a spec as a command line

Status Wrong(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("spec.", std::string(field), ": ", std::string(why)));
}

/// A scalar as an option takes it.
Result<std::string> WordOf(std::string_view field, const Json& value) {
  if (value.is_number_integer()) return absl::StrCat(value.get<std::int64_t>());
  if (!value.is_string()) return Wrong(field, "must be a text or a whole number");
  auto word = value.get<std::string>();
  if (word.size() > kLongestWord) {
    return Wrong(field, absl::StrCat("has ", word.size(), " bytes; at most ", kLongestWord));
  }
  if (word.find('\0') != std::string::npos) return Wrong(field, "must not have a NUL");
  return word;
}

/// Each of its values.
Result<Words> WordsOf(std::string_view field, const Json& value) {
  const Json list = value.is_array() ? value : Json::array({value});
  if (list.size() > kMostWords) {
    return Wrong(field, absl::StrCat("has ", list.size(), " items; at most ", kMostWords));
  }
  Words words;
  for (const Json& each : list) {
    Result<std::string> word = WordOf(field, each);
    if (!word.ok()) return word.status();
    words.push_back(*std::move(word));
  }
  return words;
}

/// Adds what the row says of the spec to `options`, or to the words behind them.
Status Add(const Row& row, const Json& value, Words& options, Words& behind) {
  if (value.is_boolean()) {
    if (value.get<bool>()) options.emplace_back(row.option);
    return absl::OkStatus();
  }
  Result<Words> words = WordsOf(row.field.name, value);
  if (!words.ok()) return words.status();
  for (std::string& word : *words) {
    if (*row.option == '\0') {
      behind.push_back(std::move(word));
    } else {
      options.push_back(absl::StrCat(row.option, "=", word));
    }
  }
  return absl::OkStatus();
}

/// "COMMAND OPTIONS -- WORDS": nothing that a spec says can be taken for another option.
Result<Words> CommandLine(Words command, const Rows& rows, const Json& spec) {
  Words behind;
  for (const Row& row : rows) {
    const auto value = spec.find(row.field.name);
    if (value == spec.end() || value->is_null()) {
      if (row.field.need == spec::Need::kRequired) return Wrong(row.field.name, "is required");
      continue;
    }
    if (Status status = Add(row, *value, command, behind); !status.ok()) return status;
  }
  if (behind.empty()) return command;
  command.emplace_back("--");
  command.insert(command.end(), behind.begin(), behind.end());
  return command;
}

std::string TextOf(const Json& spec, const char* field) {
  return kube::TextAt(spec, absl::StrCat("/", field));
}

// ---- Validation

const Rows& ValidationRows() {
  static const Rows rows = {
      {spec::Required({"deployment", spec::Text(), "", "", "of the workers"}), ""},
      {spec::Required(
           {"deploymentNamespace", spec::Text(), "", "", "of the deployment and the frontend"}),
       ""},
      {spec::Required({"jobSeconds", spec::Number(0), "", "s", "longest run time of one job"}), ""},
      {spec::Required({"service", spec::Text(), "", "", "of the load client"}), ""},
      {spec::Required({"serviceNamespace", spec::Text(), "", "", ""}), ""},
      {spec::Required({"limit", spec::Whole(1, 100'000), "", "", "most workers"}), ""},
      {spec::Required(
           {"scale", spec::Number(0), "", "", "least ratio of throughputs for twice the workers"}),
       ""},
      {{"steps", spec::Text(), "", "", "others than 1 2 4 ..., growing, with blanks between"},
       "--steps"},
      {{"repeat", spec::Text(), "1", "", "all steps so often, each time with new pods; or auto"},
       "--repeat"},
      {{"pods", spec::OneOf({"any", "these"}), "any", "", "what verdicts speak of"}, "--pods"},
      {{"cap", spec::Text(), "auto", "", "longest measurement of a step, seconds; or auto"},
       "--cap"},
      {{"patience", spec::Number(0), "600", "s", "longest measurement of a step with cap: auto"},
       "--patience"},
      {{"allowFailures", spec::Text(), "", "", "share of the jobs of a step that may fail: 1%"},
       "--allow-failures"},
      {{"allSteps", spec::Flag(), "false", "", "also those behind one that has failed for certain"},
       "--all-steps"},
      {{"timeout", spec::Number(0), "", "s", "longest wait for workers; else 300 and jobSeconds"},
       "--timeout"},
      {{"queue", spec::Text(), "", "", "else deployment without scalability-tester-backend-"},
       "--queue"},
  };
  return rows;
}

/// What only all words together show.
Status CheckValidation(const Json& spec) {
  validate::Words words;
  for (const char* field : {"deployment", "deploymentNamespace", "jobSeconds", "service",
                            "serviceNamespace", "limit", "scale"}) {
    Result<std::string> word = WordOf(field, spec.at(field));
    if (!word.ok()) return word.status();
    if (*word == "localhost") return Wrong(field, "must be a namespace of the cluster");
    words.positional.push_back(*std::move(word));
  }
  const std::pair<const char*, std::string validate::Words::*> options[] = {
      {"steps", &validate::Words::steps},
      {"repeat", &validate::Words::repeat},
      {"cap", &validate::Words::cap},
      {"allowFailures", &validate::Words::allow_failures},
      {"queue", &validate::Words::queue}};
  for (const auto& [field, word] : options) words.*word = TextOf(spec, field);
  return validate::Understand(words).status();
}

Result<Words> ValidationArguments(const Json& spec, const std::string& /*uid*/) {
  Result<Words> words = CommandLine({"validate", "--json=/dev/null"}, ValidationRows(), spec);
  if (!words.ok()) return words;
  Status status = CheckValidation(spec);
  return status.ok() ? words : status;
}

std::string ValidationQueue(const Json& spec) {
  std::string queue = TextOf(spec, "queue");
  if (!queue.empty()) return queue;
  return std::string(absl::StripPrefix(TextOf(spec, "deployment"), std::string(kBackend)));
}

// ---- LoadTest

const Rows& LoadRows() {
  static const Rows rows = {
      {spec::Required({"queue", spec::Text(), "", "", "of the jobs"}), "--queue"},
      {{"parallel", spec::Whole(1, 1'000'000), "", "", "jobs kept outstanding; or rate"},
       "--parallel"},
      {{"rate", spec::Number(0), "", "1/s", "jobs of an open loop; or parallel"}, "--rate"},
      {{"arrivals", spec::OneOf({"constant", "poisson"}), "constant", "", "of rate"}, "--arrivals"},
      {{"seed", spec::Whole(0), "", "", "of all that is random"}, "--seed"},
      {{"outstandingMax", spec::Whole(1, 1'000'000), "100000", "", "of rate: more wait"},
       "--outstanding-max"},
      {{"duration", spec::Time(), "10s", "", "warm-up too; with until 60s at most"}, "--duration"},
      {{"until", spec::Percent(), "", "", "end once the throughput is known so well: 2%"},
       "--until"},
      {{"jobs", spec::Whole(1), "", "", "end once so many have ended after the warm-up"}, "--jobs"},
      {{"warmUp", spec::Time(), "", "", "left out at the beginning; else by a rule"}, "--warm-up"},
      {{"drain", spec::Time(), "", "", "how long jobs may still end after the load"}, "--drain"},
      {{"priority", spec::Whole(-10, 10), "0", "", "of the jobs, higher first"}, "--priority"},
      {{"attempts", spec::Whole(1, 1000), "1", "", "of a job, if workers vanish"}, "--attempts"},
      {{"jobLimit", spec::Time(), "", "", "longest run time of a job"}, "--limit"},
      {{"failIf", spec::Texts(), "", "", "what must not be, such as p99>200ms"}, "--fail-if"},
      {{"lenient", spec::Flag(), "false", "", "failIf goes by the values alone"}, "--lenient"},
      {{"arguments", spec::Texts(), "", "", "of each job"}, ""},
  };
  return rows;
}

Result<Words> LoadArguments(const Json& spec, const std::string& /*uid*/) {
  if (spec.contains("parallel") == spec.contains("rate")) {
    return Wrong("parallel", "say either parallel or rate");
  }
  return CommandLine({"load"}, LoadRows(), spec);
}

std::string LoadQueue(const Json& spec) { return TextOf(spec, "queue"); }

// ---- LifecycleTest

/// Those of the suite that are its own: the command takes its options from them, too.
std::vector<spec::Field> LifecycleFields() {
  std::vector<spec::Field> fields;
  const auto& own = *suite::lifecycle::Spec::descriptor();
  for (const spec::Kind& kind : suite::Kinds()) {
    if (kind.name != suite::lifecycle::kKind) continue;
    for (const spec::Field& field : kind.fields) {
      if (own.FindFieldByCamelcaseName(std::string(field.name)) != nullptr) fields.push_back(field);
    }
  }
  return fields;
}

Result<Words> LifecycleArguments(const Json& spec, const std::string& uid) {
  static const std::vector<spec::Field> fields = LifecycleFields();
  Json own = Json::object();
  for (const spec::Field& field : fields) {
    const std::string name(field.name);
    if (spec.contains(name)) own[name] = spec[name];
  }
  const auto read =
      suite::lifecycle::ReadSpec(own.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!read.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("spec.", std::string(read.status().message())));
  }
  Words words = {"lifecycle", "run", absl::StrCat("--name=run-", uid)};
  for (std::string& word : suite::FieldArguments(*read)) words.push_back(std::move(word));
  return words;
}

/// All of them load the API server, as jobs of the suite do.
std::string LifecycleQueue(const Json& /*spec*/) { return std::string(suite::lifecycle::kName); }

// ---- the table

ObjectKind KindOf(const char* plural, const char* kind) {
  return {.resource = {kGroup, kVersion, plural, kind, true},
          .tell_results = TellVerdict,
          .by_frontend = false,
          .away = "ClusterRefuses"};
}

}  // namespace

std::span<const MeasurementKind> MeasurementKinds() {
  static const std::vector<MeasurementKind> kinds = {
      {KindOf("validations", "Validation"),
       "Whether twice the workers have enough of twice the throughput: `twofold validate`.",
       FieldsOf(ValidationRows()), ValidationArguments, ValidationQueue,
       "scalability-tester-validator", false, true, std::chrono::seconds(60)},
      {KindOf("loadtests", "LoadTest"), "A load on a queue, and what came of it: `twofold load`.",
       FieldsOf(LoadRows()), LoadArguments, LoadQueue, "scalability-tester-load-test", true, false,
       std::chrono::seconds(30)},
      {KindOf("lifecycletests", "LifecycleTest"),
       "How long workloads of Kubernetes take to their moments: `twofold lifecycle run`.",
       LifecycleFields(), LifecycleArguments, LifecycleQueue, "scalability-tester-lifecycle-test",
       false, true, std::chrono::seconds(150)},
  };
  return kinds;
}

const MeasurementKind* FindMeasurement(const kube::Json& object) {
  const std::string kind = kube::TextAt(object, "/kind");
  for (const MeasurementKind& each : MeasurementKinds()) {
    if (each.object.resource.kind == kind) return &each;
  }
  return nullptr;
}

std::string MeasurementJobName(const kube::Json& object) {
  std::string name = kube::NameOf(object).name.substr(0, kLongestOfJob);
  std::replace(name.begin(), name.end(), '.', '-');  // its pods are named like it
  return absl::StrCat(name, "-", kube::TextAt(object, "/metadata/uid"));
}

}  // namespace twofold::benchmarks
