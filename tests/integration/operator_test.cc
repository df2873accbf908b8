// twofold-operator as a program, with a real frontend and a real worker, whose fio is a script, and
// an API server in memory.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <set>
#include <string>

#include "kubernetes/operator/group.h"
#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/object_kind.h"
#include "lib/http/client.h"
#include "tests/fakes/kube_api.h"
#include "tests/integration/durable_cluster.h"
#include "tests/integration/rights.h"
#include "tests/integration/scripted_fio.h"

namespace twofold::testing {
namespace {

using benchmarks::kBenchmarks;
using kube::Json;
using ::testing::HasSubstr;

class OperatorTest : public DurableClusterTest {
 protected:
  void SetUp() override {
    StartDurable({"fio"});
    WriteScriptedFio(folder_ / "");
    worker_ = StartBackendWith(
        {"--suite-path", folder_ / "tools", "--backoff", "0.1", "--backoff-max", "0.5"}, {"fio"});
    AwaitProcesses(1);
    std::ofstream(folder_ / "kubeconfig")
        << "{clusters: [{name: c, cluster: {server: \"" << api_.url()
        << "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: "
           "u, namespace: operators}}], current-context: x}\n";
  }

  void Go() const { std::ofstream(folder_ / "go") << "go"; }
  void AwaitBegun() {
    EXPECT_TRUE(Await([&] { return std::filesystem::exists(folder_ / "begun"); }));
  }

  std::unique_ptr<Program> StartOperator(const std::string& name, const Arguments& more = {}) {
    Arguments words = {
        "--frontend",     client_address_, "--kubeconfig",     folder_ / "kubeconfig",
        "--http-address", "127.0.0.1:0",   "--ready-file",     folder_ / name,
        "--poll",         "0.05",          "--lease-duration", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<Program>("twofold-operator", words);
  }

  /// A benchmark of two jobs.
  void Create(const std::string& name, const Json& more = Json::object(),
              const std::string& space = "a") {
    Json spec = {{"template", ScriptedFioTemplate()}, {"repetitions", 2}, {"queue", "sleep"}};
    spec.update(more);
    api_.Put(kBenchmarks, {{"apiVersion", "twofold.dev/v1alpha1"},
                           {"kind", "Benchmark"},
                           {"metadata", {{"name", name}, {"namespace", space}, {"generation", 1}}},
                           {"spec", spec}});
  }
  std::string Condition(const std::string& name, const std::string& type) {
    const auto object = api_.Find(kBenchmarks, {"a", name});
    const Json* condition = object ? kube::FindCondition(*object, type) : nullptr;
    if (condition == nullptr) return "";
    return kube::TextAt(*condition, "/status") + " " + kube::TextAt(*condition, "/reason");
  }
  void AwaitCondition(const std::string& name, const std::string& type, const std::string& what) {
    EXPECT_TRUE(Await([&] { return Condition(name, type) == what; }))
        << type << " is " << Condition(name, type) << "\n"
        << api_.Find(kBenchmarks, {"a", name}).value_or(Json()).dump(1);
  }
  std::string RunOf(const std::string& name) {
    return (*api_.Find(kBenchmarks, {"a", name}))["status"].value("runId", "");
  }

  /// Both jobs succeeded, and each was there once.
  void ExpectEachRanOnce(const std::string& run) {
    std::set<std::string> keys;
    const auto jobs = List(run);
    for (const v1::Job& job : jobs) {
      EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.ShortDebugString();
      keys.insert(job.dedup_key());
    }
    EXPECT_EQ(jobs.size(), 2U);
    EXPECT_EQ(keys.size(), 2U);
  }
  std::size_t Executions() const {
    std::ifstream file(folder_ / "begun");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

  static std::vector<kube::Resource> Resources() {
    std::vector<kube::Resource> resources = {kBenchmarks};
    for (const auto& kind : benchmarks::PerftestKinds()) resources.push_back(kind.resource);
    for (const auto& kind : benchmarks::MeasurementKinds()) {
      resources.push_back(kind.object.resource);
    }
    return resources;
  }

  fakes::KubeApi api_{{.resources = Resources()}};
  std::unique_ptr<Program> worker_;
};

TEST_F(OperatorTest, ABenchmarkIsRunAndItsStatusSaysHowItWent) {
  Go();
  const auto program = StartOperator("o1");
  Create("x");
  AwaitCondition("x", "Succeeded", "True AllJobsSucceeded");
  const Json status = (*api_.Find(kBenchmarks, {"a", "x"}))["status"];
  EXPECT_EQ(status["jobs"], 2);
  EXPECT_EQ(status["succeeded"], 2);
  EXPECT_THAT(status["result"].get<std::string>(), HasSubstr("/s"));
  EXPECT_FALSE(status["results"].empty());
  ExpectEachRanOnce(RunOf("x"));
  // Its run is one of the frontend, as any other.
  Program shown("twofold", {"results", RunOf("x"), "--frontend", client_address_});
  EXPECT_EQ(shown.Wait(), 0) << shown.output();
  program->Signal(SIGTERM);
  EXPECT_EQ(program->Wait(), 0) << program->output();
}

// As on shared clusters. It may not list workers.
TEST_F(OperatorTest, ATokenOfAClientIsEnough) {
  Go();
  const auto token = [&](const std::string& role) {
    const std::string secret = role + "-secret-of-a-test";
    std::ofstream(folder_ / role) << secret;
    std::ofstream(folder_ / "tokens", std::ios::app) << role << " x " << secret << "\n";
    return folder_ / role;
  };
  const Arguments as_client = {"--token-file", token("client")};
  const Arguments as_worker = {"--token-file", token("worker"), "--suite-path", folder_ / "tools"};
  Restart({"--token-file", folder_ / "tokens"});
  const auto program = StartOperator("o1", as_client);
  Create("x");
  AwaitCondition("x", "Running", "True Running");
  EXPECT_EQ(Condition("x", "WorkersReady"), "");
  const auto worker = StartBackend({"fio"}, as_worker);
  AwaitCondition("x", "Succeeded", "True AllJobsSucceeded");
  EXPECT_EQ(Condition("x", "WorkersReady"), "True WorkersFound");
  Create("y", {{"nodes", {{"select", Json::array({"*"})}}}});
  AwaitCondition("y", "Running", "False FrontendRefuses");
}

TEST_F(OperatorTest, AWrongSpecIsRefusedWithItsField) {
  const auto program = StartOperator("o1");
  Create("x", {{"template", {{"kind", "Fio"}, {"spec", {{"rw", "sideways"}}}}}});
  AwaitCondition("x", "Failed", "True InvalidSpec");
  const auto object = api_.Find(kBenchmarks, {"a", "x"});
  const std::string why = kube::TextAt(*kube::FindCondition(*object, "Failed"), "/message");
  EXPECT_THAT(why, ::testing::StartsWith("rw: must be one of: read"));
}

TEST_F(OperatorTest, AnOperatorThatIsKilledIsFollowedByTheOtherAndNoJobRunsTwice) {
  auto first = StartOperator("o1");
  EXPECT_TRUE(Await([&] {
    return api_.Find(kube::kLeases, {"operators", "twofold-operator"}).has_value();
  }));
  const auto second = StartOperator("o2");
  Create("x");
  AwaitBegun();
  AwaitCondition("x", "Running", "True Running");
  first->Kill();
  Go();
  AwaitCondition("x", "Succeeded", "True AllJobsSucceeded");
  ExpectEachRanOnce(RunOf("x"));
  EXPECT_EQ(Executions(), 2U);
}

// What it has written is there, and it does not learn of that.
TEST_F(OperatorTest, KilledByTheAnswerToAnyOfItsWritesItIsFollowedByOneThatRunsNothingTwice) {
  Go();
  std::atomic<int> left = -1;
  std::unique_ptr<Program> program;
  api_.OnChange([&](const std::string&, const Json& object) {
    if (object["kind"] == "Lease" || --left != 0) return;
    program->Signal(SIGKILL);
  });
  int writes = 0;
  for (bool was_killed = true; was_killed; ++writes) {
    ASSERT_LT(writes, 40);
    const std::string name = absl::StrCat("x", writes);
    api_.Remove(kube::kLeases, {"operators", "twofold-operator"});  // nobody waits for the dead
    left = writes + 1;
    program = StartOperator(name);
    Create(name);
    EXPECT_TRUE(Await(
        [&] { return left <= 0 || Condition(name, "Succeeded") == "True AllJobsSucceeded"; }));
    was_killed = left <= 0;
    if (was_killed) {
      EXPECT_EQ(program->Wait(), -SIGKILL);
      left = -1;
      api_.Remove(kube::kLeases, {"operators", "twofold-operator"});
      program = StartOperator(name);
    }
    AwaitCondition(name, "Succeeded", "True AllJobsSucceeded");
    ExpectEachRanOnce(RunOf(name));
    program->Signal(SIGTERM);
    program->Wait();
  }
  EXPECT_GT(writes, 5);
  EXPECT_EQ(Executions(), 2U * static_cast<std::size_t>(writes));
}

TEST_F(OperatorTest, ABenchmarkThatIsDeletedTakesItsJobsWithIt) {
  const auto program = StartOperator("o1");
  Create("x");
  AwaitBegun();
  AwaitCondition("x", "Running", "True Running");
  const std::string run = RunOf("x");
  kube::Connection connection(api_.access());
  ASSERT_TRUE(connection.Do(kube::Delete(kBenchmarks, {"a", "x"})).ok());
  EXPECT_TRUE(Await([&] { return !api_.Find(kBenchmarks, {"a", "x"}); }));
  EXPECT_TRUE(Await([&] {
    const auto jobs = List(run);
    return jobs.size() == 2 && std::all_of(jobs.begin(), jobs.end(), [](const v1::Job& job) {
             return job.outcome() == v1::OUTCOME_CANCELLED;
           });
  }));
}

TEST_F(OperatorTest, ABenchmarkThatIsSuspendedGoesOnWhereItWas) {
  const auto program = StartOperator("o1");
  Create("x");
  AwaitBegun();
  AwaitCondition("x", "Running", "True Running");
  const auto suspend = [&](bool on) {
    api_.Change(kBenchmarks, {"a", "x"}, [&](Json& object) { object["spec"]["suspend"] = on; });
  };
  suspend(true);
  Go();
  EXPECT_TRUE(Await([&] {
    const Json status = (*api_.Find(kBenchmarks, {"a", "x"}))["status"];
    return Condition("x", "Running") == "False Suspended" && !status.contains("startTime");
  }));
  EXPECT_EQ(Executions(), 1U);
  suspend(false);
  AwaitCondition("x", "Succeeded", "True AllJobsSucceeded");
  EXPECT_EQ(Executions(), 2U);
}

TEST_F(OperatorTest, BothAreReadyAndOneLeads) {
  const auto first = StartOperator("o1");
  const auto second = StartOperator("o2");
  const std::string urls[] = {"http://" + AwaitReady(folder_ / "o1", *first).value("http", ""),
                              "http://" + AwaitReady(folder_ / "o2", *second).value("http", "")};
  const auto page = [](const std::string& url) {
    const auto answer = http::Get(url, std::chrono::seconds(20));
    return answer.ok() ? answer->body : std::string(answer.status().message());
  };
  for (const std::string& url : urls) {
    EXPECT_TRUE(Await([&] { return page(url + "/readyz") == "ok\n"; }));
    EXPECT_EQ(page(url + "/healthz"), "ok\n");
  }
  const std::string series = "leader_election_master_status{name=\"twofold-operator\"}";
  EXPECT_TRUE(Await([&] {
    double leaders = 0;
    for (const std::string& url : urls) {
      leaders += SeriesIn(page(url + "/metrics"), series).value_or(0);
    }
    return leaders == 1;
  }));
}

// ---- rights

TEST_F(OperatorTest, RunsAnObjectOfKubePerftestByTheRightsForThat) {
  Go();
  const auto fio =
      std::find_if(benchmarks::PerftestKinds().begin(), benchmarks::PerftestKinds().end(),
                   [](const auto& kind) { return kind.resource.kind == "Fio"; });
  const auto program = StartOperator("o1", {"--namespace", "validation", "--perftest"});
  // A Benchmark can name its queue; theirs have that of the suite.
  const Program worker("twofold-backend",
                       {"--frontend", worker_address_, "--queue", "fio", "--suite-path",
                        folder_ / "tools", "--backoff", "0.1", "--", "fio"});
  AwaitSeries("twofold_worker_processes{queue=\"fio\"}", 1);
  api_.Put(fio->resource, {{"apiVersion", "perftest.stackhpc.com/v1alpha1"},
                           {"kind", "Fio"},
                           {"metadata", {{"name", "x"}, {"namespace", "validation"}}},
                           {"spec", ScriptedFioTemplate()["spec"]}});
  const auto phase = [&] {
    return kube::TextAt(*api_.Find(fio->resource, {"validation", "x"}), "/status/phase");
  };
  EXPECT_TRUE(Await([&] { return phase() == "Completed"; }))
      << api_.Find(fio->resource, {"validation", "x"})->dump(1);
  const Json status = (*api_.Find(fio->resource, {"validation", "x"}))["status"];
  EXPECT_THAT(status["readBwResult"].get<std::string>(), HasSubstr("MiB/s"));
  EXPECT_GT(status["writeIopsResult"].get<double>(), 0);
  const Json& result = status["result"];
  for (const char* field : {"readBw", "readIops", "readLatNsMean", "readLatNsStddev", "writeBw"}) {
    EXPECT_GT(result.value(field, 0.0), 0) << field << " of " << result;
  }
  const std::string log = status["clientLog"];
  EXPECT_LE(log.size(), 4096U);
  EXPECT_EQ(status["workerPods"].size(), 1U);
  EXPECT_EQ(*status["workerPods"].begin(), status["masterPod"]);
  EXPECT_NE(status["masterPod"].value("nodeName", ""), "");
  // The command that the log names shows what it has left out.
  const std::size_t id = log.find("job output ") + 11;
  Program shown("twofold", {"job", "output", log.substr(id, log.find(' ', id) - id), "--stage",
                            "fio", "--frontend", client_address_});
  EXPECT_EQ(shown.Wait(), 0) << shown.output();
  EXPECT_THAT(shown.output(), HasSubstr(log.substr(log.find('\n') + 1)));
  const Rights allowed = AllowedBy("benchmark-operator/perftest/role.yaml");
  EXPECT_EQ(allowed.size(), 8U * 4);
  for (const auto& each : api_.used()) {
    if (each.group != "perftest.stackhpc.com" || each.verb == "list") continue;
    EXPECT_TRUE(allowed.contains(
        absl::StrCat(each.space, " ", each.group, "/", each.resource, " ", each.verb)))
        << each.resource << " " << each.verb;
  }
}

/// Plays Job controller and kubelet for measurements in the namespace `validation`.
class MeasurementsTest : public OperatorTest {
 protected:
  void Create(const kube::Resource& kind, const std::string& name, Json spec) {
    api_.Put(kind, {{"apiVersion", "twofold.dev/v1alpha1"},
                    {"kind", kind.kind},
                    {"metadata", {{"name", name}, {"namespace", "validation"}, {"generation", 1}}},
                    {"spec", std::move(spec)}});
  }
  void AwaitReason(const kube::Resource& kind, const std::string& type, const std::string& what) {
    EXPECT_TRUE(Await([&] {
      const auto object = api_.Find(kind, {"validation", "x"});
      const Json* condition = object ? kube::FindCondition(*object, type) : nullptr;
      return condition != nullptr &&
             kube::TextAt(*condition, "/status") + " " + kube::TextAt(*condition, "/reason") ==
                 what;
    })) << type
        << " is not " << what << "\n"
        << api_.Find(kind, {"validation", "x"}).value_or(Json()).dump(1);
  }
  /// The Job makes a pod, in which `message` is all that the program leaves.
  void EndJob(const Json& job, const std::string& message) {
    api_.Put(
        kube::kPods,
        {{"metadata",
          {{"name", kube::NameOf(job).name + "-1"},
           {"namespace", "validation"},
           {"labels", job["spec"]["template"]["metadata"]["labels"]}}},
         {"status",
          {{"phase", "Succeeded"},
           {"containerStatuses",
            Json::array(
                {{{"state",
                   {{"terminated",
                     {{"exitCode", 0}, {"reason", "Completed"}, {"message", message}}}}}}})}}}});
    api_.Change(kube::kJobs, kube::NameOf(job), [](Json& object) {
      object["status"]["conditions"] = Json::array({{{"type", "Complete"}, {"status", "True"}}});
    });
  }
  Json TheJob() {
    EXPECT_TRUE(Await([&] { return !api_.All(kube::kJobs).empty(); }));
    return api_.All(kube::kJobs).at(0);
  }
};

TEST_F(MeasurementsTest, ALoadTestIsThisLoadAndItsStatusSaysWhatCameOfIt) {
  const kube::Resource& kind = benchmarks::MeasurementKinds()[1].object.resource;
  const Program worker("twofold-backend", {"--frontend", worker_address_, "--queue", "fio",
                                           "--backoff", "0.1", "--", "/bin/true"});
  AwaitSeries("twofold_worker_processes{queue=\"fio\"}", 1);
  const auto program = StartOperator("o1", {"--namespace", "validation", "--measurements"});
  Create(
      kind, "x",
      {{"queue", "fio"}, {"parallel", 2}, {"jobs", 20}, {"duration", "20s"}, {"warmUp", "10ms"}});
  const Json job = TheJob();
  AwaitReason(kind, "Running", "False Starting");
  // What its pod would do.
  const std::string verdict = folder_ / "verdict";
  Arguments words;
  for (std::string word : job["spec"]["template"]["spec"]["containers"][0]["args"]) {
    if (word.starts_with("--verdict=")) word = "--verdict=" + verdict;
    words.push_back(std::move(word));
  }
  Program load("twofold", words);
  EXPECT_EQ(load.Wait(), 0) << load.output();
  std::ifstream stored(verdict);
  EndJob(job, std::string(std::istreambuf_iterator<char>(stored), {}));
  AwaitReason(kind, "Succeeded", "True Passed");
  const Json status = (*api_.Find(kind, {"validation", "x"}))["status"];
  EXPECT_EQ(status["verdict"], "pass");
  EXPECT_THAT(status["result"].get<std::string>(), HasSubstr("throughput "));
  EXPECT_THAT(status["result"].get<std::string>(), HasSubstr(" 1/s"));
}

TEST_F(MeasurementsTest, UseTheRightsOfTheirRolesAndNoOthers) {
  ListFirst(api_, {"validations", "loadtests", "lifecycletests"});
  const Json specs[] = {{{"deployment", "scalability-tester-backend-sleep"},
                         {"deploymentNamespace", "monitoring"},
                         {"jobSeconds", 1},
                         {"service", "scalability-tester-client-sleep"},
                         {"serviceNamespace", "validation"},
                         {"limit", 2},
                         {"scale", 1}},
                        {{"queue", "sleep"}, {"parallel", 1}},
                        {{"kind", "job"}}};
  const auto program = StartOperator("o1", {"--namespace", "validation", "--measurements"});
  std::set<std::string> plurals = {"jobs", "pods"};
  for (std::size_t i = 0; i < std::size(specs); ++i) {
    const kube::Resource& kind = benchmarks::MeasurementKinds()[i].object.resource;
    plurals.insert({kind.plural, kind.plural + "/status"});
    Json spec = specs[i];
    spec["ttlSecondsAfterFinished"] = 3600;
    Create(kind, "x", spec);
    AwaitReason(kind, "Running", "False Starting");
    EndJob(TheJob(), R"({"verdict": "pass"})");
    AwaitReason(kind, "Succeeded", "True Passed");
    api_.Change(kind, {"validation", "x"},
                [](Json& object) { object["spec"]["ttlSecondsAfterFinished"] = 0; });
    EXPECT_TRUE(Await([&] { return api_.All(kind).empty() && api_.All(kube::kJobs).empty(); }));
    spec["schedule"] = "@yearly";
    Create(kind, "x", spec);
    AwaitReason(kind, "Running", "False Scheduled");
    api_.Change(kind, {"validation", "x"}, [](Json& object) {
      object["status"]["nextScheduleTime"] = "2026-01-01T00:00:00Z";
    });
    TheJob();  // of the object that it has made
    for (const Json& each : api_.All(kind)) {
      kube::Connection connection(api_.access());
      const Status gone = connection.Do(kube::Delete(kind, kube::NameOf(each))).status();
      ASSERT_TRUE(gone.ok() || absl::IsNotFound(gone)) << gone;  // what it owns goes with another
    }
    EXPECT_TRUE(Await([&] { return api_.All(kind).empty() && api_.All(kube::kJobs).empty(); }));
  }
  program->Signal(SIGTERM);
  EXPECT_EQ(program->Wait(), 0) << program->output();
  Rights used;
  for (const auto& each : api_.used()) {
    if (!plurals.contains(each.resource) && !(each.resource == "events" && each.verb == "list")) {
      continue;
    }
    used.insert(absl::StrCat(each.space, " ", each.group, "/", each.resource, " ", each.verb));
  }
  EXPECT_EQ(used, AllowedBy("benchmark-operator/measurements/role.yaml"));
}

TEST_F(OperatorTest, UsesTheRightsOfItsRolesAndNoOthers) {
  ListFirst(api_, {"benchmarks"});
  const auto program =
      StartOperator("o1", {"--namespace", "validation", "--lease-namespace", "monitoring"});
  Create("x", {{"ttlSecondsAfterFinished", 0}}, "validation");
  const auto suspend = [&](bool on) {
    api_.Change(kBenchmarks, {"validation", "x"},
                [&](Json& object) { object["spec"]["suspend"] = on; });
  };
  const auto await = [&](const std::string& what) {
    EXPECT_TRUE(Await([&] {
      const auto object = api_.Find(kBenchmarks, {"validation", "x"});
      const Json* running = object ? kube::FindCondition(*object, "Running") : nullptr;
      return running != nullptr && kube::TextAt(*running, "/reason") == what;
    })) << what;
  };
  for (int i = 0; i < 2; ++i) {  // what happens again is a patch of its event
    await("Running");
    suspend(true);
    await("Suspended");
    suspend(false);
  }
  Go();
  EXPECT_TRUE(Await([&] { return !api_.Find(kBenchmarks, {"validation", "x"}); }));
  Create("y", {{"schedule", "@yearly"}}, "validation");
  EXPECT_TRUE(Await([&] {
    const auto object = api_.Find(kBenchmarks, {"validation", "y"});
    return object && kube::At(*object, "/status/nextScheduleTime") != nullptr;
  })) << "what it has yet to write is not written over what follows";
  api_.Change(kBenchmarks, {"validation", "y"},
              [](Json& object) { object["status"]["nextScheduleTime"] = "2026-01-01T00:00:00Z"; });
  EXPECT_TRUE(Await([&] { return api_.All(kBenchmarks).size() == 2; })) << "it has made one";
  program->Signal(SIGTERM);
  EXPECT_EQ(program->Wait(), 0) << program->output();
  EXPECT_EQ(UsedOf(api_), AllowedBy("benchmark-operator/role.yaml"));
}

}  // namespace
}  // namespace twofold::testing
