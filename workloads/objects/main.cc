#include <google/protobuf/util/json_util.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "lib/common/descriptors.h"
#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/suite/flags.h"
#include "workloads/objects/run.h"

namespace twofold::objects {
namespace {

using suite::object_storage::Refusal;
using v1::suites::ObjectStorageReport;

constexpr int kExitFailed = 1;       // nothing could be measured
constexpr int kExitInterrupted = 3;  // the report is of a part of the run

constexpr char kExamples[] = R"(
One JSON object goes to stdout: the report. Progress goes to stderr.

Examples:
  twofold-objects --protocol http --endpoint http://host:8000 --bucket b --pctput 100 --minsize 4K --duration 10s
  twofold-objects --s3endpoint http://host:9000 --s3-use-path-style --bucket b --objects 100000 --epochs 1
  twofold-objects --ip gateway --bucket ais://b --pctput 30 --rate 2000 --arrivals poisson
  twofold-objects '{"bucket": "b", "protocol": "s3", "s3endpoint": "https://host", "duration": "5m"}'

Exit: 0 done, 1 not one request succeeded or the store cannot be used, 2 wrong options, 3 ended before its time.
Keys: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a file of profiles; AIS_AUTHN_TOKEN_FILE.)";

// Options of aisloader that are not taken are told apart from mistyped ones.
void DeclareRefusals(CLI::App& app) {
  for (const Refusal& refusal : suite::object_storage::Refusals()) {
    const std::string name(refusal.name);
    const std::string why(refusal.why);
    app.add_flag_function("--" + name,
                          [name, why](std::int64_t) {
                            throw CLI::ValidationError("--" + name, "not taken: " + why);
                          })
        ->group("");
  }
}

bool HasSuccess(const ObjectStorageReport& report) {
  return std::any_of(report.operations().begin(), report.operations().end(),
                     [](const auto& operation) { return operation.count() > 0; });
}

bool HasFailure(const ObjectStorageReport& report) { return report.failures_size() > 0; }

void Print(const ObjectStorageReport& report) {
  google::protobuf::util::JsonPrintOptions options;
  std::string json;
  // A message of ours that is whole can always be printed.
  const auto status = google::protobuf::util::MessageToJsonString(report, &json, options);
  std::printf("%s\n", status.ok() ? json.c_str() : "");
}

/// Exit codes are for scripts; what happened is in the report.
int Run(const Spec& spec, const Options& options) {
  RaiseDescriptorLimit();
  const auto report = RunLoad(spec, options);
  if (!report.ok()) {
    std::fprintf(stderr, "twofold-objects: %s\n", std::string(report.status().message()).c_str());
    return absl::IsInvalidArgument(report.status()) ? kExitUsage : kExitFailed;
  }
  Print(*report);
  if (report->interrupted()) return kExitInterrupted;
  return HasFailure(*report) && !HasSuccess(*report) ? kExitFailed : 0;
}

int Main(int argc, const char* const* argv) {
  CLI::App app("Loads an object store, and measures it: S3, AIStore, HTTP and WebDAV",
               "twofold-objects");
  app.footer(kExamples);
  suite::SpecFlags flags(app, *Spec::descriptor());
  Options options;
  bool check = false;
  app.add_option("--barrier", options.barrier, "HOST:PORT where loader 0 waits for the others")
      ->check(RemoteAddress());
  AddOption(app, "--barriertimeout", options.barrier_seconds, Seconds(0.1, 86400),
            "seconds that loaders wait for each other");
  app.add_flag("--check", check, "read the spec, say what is wrong with it, and do nothing else");
  DeclareRefusals(app);
  if (const auto code = ParseCommandLine(app, argc, argv)) return *code;
  const auto json = flags.Json();
  if (!json.ok()) return UsageError(app, std::string(json.status().message()));
  const auto spec = suite::object_storage::ReadSpec(*json);
  if (!spec.ok()) return UsageError(app, std::string(spec.status().message()));
  return check ? 0 : Run(*spec, options);
}

}  // namespace
}  // namespace twofold::objects

int main(int argc, char** argv) { return twofold::objects::Main(argc, argv); }
