#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <set>

#include "cli/command/command.h"
#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/line.h"
#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/measurement_crds.h"
#include "kubernetes/operator/measurement_job.h"
#include "kubernetes/operator/options.h"
#include "kubernetes/operator/structural.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Json Object(const std::string& kind, Json spec) {
  return {{"apiVersion", "twofold.dev/v1alpha1"},
          {"kind", kind},
          {"metadata", {{"name", "x.y"}, {"namespace", "a"}, {"uid", "5f0c1b1e-8c1f"}}},
          {"spec", std::move(spec)}};
}

Result<Json> JobOf(const Json& object) {
  return MeasurementJob(*FindMeasurement(object), OrderOf(object), {"image:1", "frontend:9997"});
}

/// The command line of its Job.
std::string ArgumentsOf(const std::string& kind, Json spec) {
  const auto job = JobOf(Object(kind, std::move(spec)));
  if (!job.ok()) return std::string(job.status().message());
  const Json arguments = (*job)["spec"]["template"]["spec"]["containers"][0]["args"];
  return absl::StrJoin(arguments.get<std::vector<std::string>>(), " ");
}

TEST(MeasurementTable, ALoadTestIsACommandLineOfLoad) {
  EXPECT_EQ(ArgumentsOf("LoadTest", {{"queue", "sleep"},
                                     {"rate", "0.5"},
                                     {"arrivals", "poisson"},
                                     {"duration", "30s"},
                                     {"jobLimit", "2s"},
                                     {"failIf", {"p99>200ms", "errors>0"}},
                                     {"lenient", true},
                                     {"arguments", {"--help", "0.1"}}}),
            "load --queue=sleep --rate=0.5 --arrivals=poisson --duration=30s --limit=2s "
            "--fail-if=p99>200ms --fail-if=errors>0 --lenient --verdict=/dev/termination-log "
            "--frontend=frontend:9997 -- --help 0.1");
}

TEST(MeasurementTable, ALifecycleTestIsACommandLineOfLifecycleRun) {
  EXPECT_EQ(ArgumentsOf("LifecycleTest", {{"kind", "job"},
                                          {"count", 500},
                                          {"rate", "20"},
                                          {"namespace", "workloads"},
                                          {"containerImage", "busybox:1.36"},
                                          {"failIf", {"pod_ready_p99>5s"}}}),
            "lifecycle run --name=run-5f0c1b1e-8c1f --kind=job --count=500 --rate=20.0 "
            "--namespace=workloads --image=busybox:1.36 --fail-if=pod_ready_p99>5s "
            "--verdict=/dev/termination-log");
}

TEST(MeasurementTable, WhatIsWrongNamesItsField) {
  EXPECT_EQ(ArgumentsOf("LoadTest", {{"parallel", 1}}), "spec.queue: is required");
  EXPECT_EQ(ArgumentsOf("LoadTest", {{"queue", "q"}}),
            "spec.parallel: say either parallel or rate");
  EXPECT_EQ(ArgumentsOf("LoadTest", {{"queue", "q"}, {"rate", 0.5}}),
            "spec.rate: must be a text or a whole number");
  EXPECT_THAT(ArgumentsOf("LoadTest", {{"queue", std::string(5000, 'q')}, {"rate", 1}}),
              StartsWith("spec.queue: has 5000 bytes"));
  EXPECT_THAT(
      ArgumentsOf("LoadTest", {{"queue", "q"}, {"rate", 1}, {"arguments", Json(1001, "x")}}),
      StartsWith("spec.arguments: has 1001 items"));
  EXPECT_THAT(ArgumentsOf("LifecycleTest", {{"kind", "ship"}}), StartsWith("spec.kind: "));
  EXPECT_THAT(ArgumentsOf("Validation", {{"deployment", "d"},
                                         {"deploymentNamespace", "localhost"},
                                         {"jobSeconds", 1},
                                         {"service", "s"},
                                         {"serviceNamespace", "v"},
                                         {"limit", 2},
                                         {"scale", 1}}),
              StartsWith("spec.deploymentNamespace: "));
}

/// What a spec says cannot become another option, nor a line of a shell.
TEST(MeasurementTable, ValuesStayValues) {
  const std::string words =
      ArgumentsOf("LoadTest", {{"queue", "--local"}, {"rate", 1}, {"arguments", {"; rm -rf /"}}});
  EXPECT_THAT(words, StartsWith("load --queue=--local --rate=1 "));
  EXPECT_THAT(words, HasSubstr(" -- ; rm -rf /"));
}

/// The command of `twofold` by its words: "lifecycle run".
CLI::App* CommandOf(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* command = &app;
  for (const std::string& word : words) command = command->get_subcommand(word);
  return command;
}

TEST(MeasurementTable, EachOptionIsOneOfItsCommand) {
  CLI::App app;
  cli::Globals globals;
  cli::Action chosen;
  cli::AddCommands(app, cli::AllCommands(), globals, chosen);
  const std::pair<std::vector<std::string>, Json> commands[] = {
      {{"validate"},
       Object("Validation", {{"deployment", "d"},
                             {"deploymentNamespace", "m"},
                             {"jobSeconds", 1},
                             {"service", "s"},
                             {"serviceNamespace", "v"},
                             {"limit", 2},
                             {"scale", 1}})},
      {{"load"}, Object("LoadTest", {{"queue", "q"}, {"parallel", 1}})},
      {{"lifecycle", "run"}, Object("LifecycleTest", {{"kind", "job"}})},
  };
  for (const auto& [words, object] : commands) {
    Json all = object;
    for (const spec::Field& field : FindMeasurement(object)->fields) {
      const std::string name(field.name);
      if (all["spec"].contains(name) || name == "rate") continue;
      // What a command of another suite's fields takes is theirs to test.
      if (words.front() == "lifecycle") continue;
      all["spec"][name] = spec::IsFlag(field.type) ? Json(true) : Json("1");
    }
    if (words.front() == "validate") all["spec"]["allowFailures"] = "1%";
    const auto job = JobOf(all);
    ASSERT_TRUE(job.ok()) << job.status();
    for (const std::string argument : (*job)["spec"]["template"]["spec"]["containers"][0]["args"]) {
      if (argument == "--") break;
      if (!argument.starts_with("--")) continue;
      const std::string option = argument.substr(0, argument.find('='));
      EXPECT_NE(CommandOf(app, words)->get_option_no_throw(option), nullptr)
          << words.front() << " " << option;
    }
  }
}

TEST(MeasurementTable, OnlyWhoAsksTheFrontendHasItsSecrets) {
  const MeasurementSettings settings{"image:1", "frontend:9997", "client-tls", "client-token"};
  const auto pod_of = [&](const Json& object) {
    const auto job = MeasurementJob(*FindMeasurement(object), OrderOf(object), settings);
    return job.ok() ? (*job)["spec"]["template"]["spec"]
                    : Json(std::string(job.status().message()));
  };
  const Json load = pod_of(Object("LoadTest", {{"queue", "q"}, {"parallel", 1}}));
  EXPECT_EQ(load["volumes"][0]["secret"]["secretName"], "client-tls");
  EXPECT_EQ(load["volumes"][1]["secret"]["secretName"], "client-token");
  EXPECT_EQ(load["containers"][0]["volumeMounts"].size(), 2U);
  EXPECT_THAT(load["containers"][0]["args"].get<std::vector<std::string>>(),
              ::testing::Contains("--token-file=/etc/twofold/token/token"));
  EXPECT_FALSE(pod_of(Object("LifecycleTest", {{"kind", "job"}})).contains("volumes"));
}

TEST(MeasurementTable, ItsPodsReachTheFrontendFromOtherNamespaces) {
  Options options;
  options.frontend.frontend = "scalability-tester-frontend:9997";
  EXPECT_EQ(JobFrontend(options, "monitoring"), "scalability-tester-frontend.monitoring:9997");
  EXPECT_EQ(JobFrontend(options, ""), "scalability-tester-frontend:9997");
  for (const char* full : {"10.0.0.1:9997", "10.0.0.1:9997,10.0.0.2:9997", "[::1]:9997",
                           "localhost:9997", "frontend.example.com:9997"}) {
    options.frontend.frontend = full;
    EXPECT_EQ(JobFrontend(options, "monitoring"), full);
  }
  options.job_frontend = "other:1";
  EXPECT_EQ(JobFrontend(options, "monitoring"), "other:1");
}

TEST(MeasurementTable, StandsInTheLineOfWhatItLoads) {
  const auto snapshot = [](const std::string& kind, Json spec, const std::string& uid) {
    Json object = Object(kind, std::move(spec));
    object["metadata"]["uid"] = uid;
    return std::make_shared<const Json>(std::move(object));
  };
  const std::vector<controller::Snapshot> all = {
      snapshot("Benchmark", {{"queue", "sleep"}, {"template", {{"kind", "Fio"}}}}, "1"),
      snapshot("LoadTest", {{"queue", "sleep"}}, "2"),
      snapshot("Validation", {{"deployment", "scalability-tester-backend-sleep"}}, "3"),
      snapshot("LifecycleTest", {{"kind", "job"}, {"queue", "sleep"}}, "4")};
  EXPECT_FALSE(Before(*all[0], all));
  EXPECT_TRUE(Before(*all[1], all));
  EXPECT_TRUE(Before(*all[2], all));
  EXPECT_FALSE(Before(*all[3], all)) << "its queue is one of the cluster's batch system";
}

TEST(MeasurementTable, NamesOfJobsAreThoseOfPodsAndShortEnough) {
  Json object = Object("LoadTest", {});
  object["metadata"]["name"] = std::string(100, 'n') + ".x";
  object["metadata"]["uid"] = "5f0c1b1e-8c1f-4c0e-9d0a-2f6f5c1d7e11";
  EXPECT_EQ(MeasurementJobName(object).size(), 63U);
  EXPECT_EQ(MeasurementJobName(Object("LoadTest", {})), "x-y-5f0c1b1e-8c1f");
}

// ---- definitions

TEST(MeasurementCrds, HaveEachFieldAndNoFloats) {
  const auto definitions = MeasurementDefinitions();
  ASSERT_EQ(definitions.size(), MeasurementKinds().size());
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const MeasurementKind& kind = MeasurementKinds()[i];
    const Schema schema = definitions[i]["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    const Schema spec = schema["properties"]["spec"];
    std::string rules;
    for (const Schema& rule : spec["x-kubernetes-validations"]) {
      rules += rule["rule"].get<std::string>() + "\n";
    }
    std::set<std::string> required;
    for (const Schema& each : spec["required"]) required.insert(each.get<std::string>());
    for (const spec::Field& field : kind.fields) {
      const std::string name(field.name);
      ASSERT_TRUE(spec["properties"].contains(name)) << name;
      EXPECT_NE(spec["properties"][name].value("type", ""), "number") << name;
      const std::string word = name == "namespace" ? "__namespace__" : name;  // reserved by CEL
      EXPECT_THAT(rules, HasSubstr("self." + word + " == oldSelf." + word));
      EXPECT_EQ(required.contains(name), field.need == spec::Need::kRequired) << name;
    }
    for (const char* name : {"suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished"}) {
      EXPECT_TRUE(spec["properties"].contains(name)) << name;
      EXPECT_THAT(rules, ::testing::Not(HasSubstr(std::string("self.") + name + " ==")));
    }
    EXPECT_TRUE(schema["properties"]["status"]["properties"].contains("verdict"));
  }
}

}  // namespace
}  // namespace twofold::benchmarks
