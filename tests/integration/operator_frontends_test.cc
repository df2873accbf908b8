// twofold-operator with Frontends of the cluster: real frontends with tokens, a real worker at
// each, and an API server in memory.

#include <absl/strings/str_cat.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>

#include "kubernetes/operator/frontend_kind.h"
#include "kubernetes/pools/pods.h"
#include "tests/fakes/kube_api.h"
#include "tests/integration/cluster_fixture.h"
#include "tests/integration/rights.h"
#include "tests/integration/scripted_fio.h"
#include "tests/support/certificates.h"

namespace twofold::testing {
namespace {

using benchmarks::kBenchmarks;
using benchmarks::kFrontends;
using kube::Json;
using ::testing::HasSubstr;

constexpr const char* kAdmin = "token-of-an-admin";

std::string TokenOf(const std::string& space) { return "token-of-namespace-" + space; }

class OperatorFrontendsTest : public ClusterTest {
 protected:
  struct Frontend {
    std::string client_address;
    std::unique_ptr<Program> program;
    std::unique_ptr<Program> worker;
  };

  void SetUp() override {
    WriteScriptedFio(folder_ / "");
    std::filesystem::create_directory(folder_ / "files");
    Write("admin", kAdmin);
    Write("worker", "token-of-a-worker");
    Write("kubeconfig",
          absl::StrCat("{clusters: [{name: c, cluster: {server: \"", api_.url(),
                       "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: "
                       "{cluster: c, user: u, namespace: operators}}], current-context: x}\n"));
  }

  void Write(const std::string& name, const std::string& text) const {
    WriteFile(folder_ / name, text);
  }
  void Go() const { Write("go", "go"); }
  void GiveToken(const std::string& frontend, const std::string& space,
                 const std::string& token) const {
    Write(absl::StrCat("files/", frontend, ".", space, ".token"), token);
  }

  /// A frontend that lets in who has one of these lines ("client a TOKEN"), with a worker.
  Frontend Start(const std::string& name, const std::string& lines, const Arguments& tls = {},
                 const Arguments& worker_tls = {}) {
    const std::string tokens = absl::StrCat("tokens-", name);
    Write(tokens,
          absl::StrCat("admin admin ", kAdmin, "\nworker worker token-of-a-worker\n", lines));
    const std::string ready = folder_ / (name + ".ready");
    Arguments words = {"--client-address", "127.0.0.1:0",
                       "--worker-address", "127.0.0.1:0",
                       "--http-address",   "127.0.0.1:0",
                       "--ready-file",     ready,
                       "--store",          absl::StrCat("sqlite:", folder_ / (name + ".db")),
                       "--token-file",     folder_ / tokens};
    words.insert(words.end(), tls.begin(), tls.end());
    words.emplace_back("fio");
    Frontend frontend;
    frontend.program = std::make_unique<Program>("twofold-frontend", words);
    const nlohmann::json addresses = AwaitReady(ready, *frontend.program);
    frontend.client_address = addresses.value("client", "");
    words = {"--frontend",   addresses.value("worker", ""),
             "--queue",      "fio",
             "--token-file", folder_ / "worker",
             "--backoff",    "0.1",
             "--suite-path", folder_ / "tools"};
    words.insert(words.end(), worker_tls.begin(), worker_tls.end());
    words.insert(words.end(), {"--", "fio"});
    frontend.worker = std::make_unique<Program>("twofold-backend", words);
    return frontend;
  }

  /// Its own token is an admin's, everywhere: whoever gets in with it can do all.
  void StartOperator(const Frontend& own, const Arguments& more = {}) {
    Arguments words = {"--frontend",       own.client_address,
                       "--token-file",     folder_ / "admin",
                       "--frontends",      folder_ / "files",
                       "--kubeconfig",     folder_ / "kubeconfig",
                       "--http-address",   "127.0.0.1:0",
                       "--poll",           "0.05",
                       "--lease-duration", "2"};
    words.insert(words.end(), more.begin(), more.end());
    operator_ = std::make_unique<Program>("twofold-operator", words);
  }

  void PutFrontend(const std::string& name, const std::string& address,
                   const std::vector<std::string>& spaces,
                   const std::vector<std::string>& kinds = {"Fio"},
                   const std::vector<std::string>& queues = {}) {
    Json namespaces = Json::array();
    for (const std::string& space : spaces) {
      namespaces.push_back({{"name", space}, {"kinds", kinds}, {"queues", queues}});
    }
    Json spec = {{"namespaces", namespaces}};
    if (!address.empty()) spec.update({{"address", address}, {"tls", false}});
    api_.Put(kFrontends, {{"apiVersion", "twofold.dev/v1alpha1"},
                          {"kind", "Frontend"},
                          {"metadata", {{"name", name}}},
                          {"spec", spec}});
  }
  void Create(const std::string& space, const std::string& frontend = "") {
    Json spec = {{"template", ScriptedFioTemplate()}};
    if (!frontend.empty()) spec["frontendRef"] = frontend;
    api_.Put(kBenchmarks, {{"apiVersion", "twofold.dev/v1alpha1"},
                           {"kind", "Benchmark"},
                           {"metadata", {{"name", "x"}, {"namespace", space}, {"generation", 1}}},
                           {"spec", spec}});
  }
  std::string Condition(const std::string& space, const std::string& type) {
    const auto object = api_.Find(kBenchmarks, {space, "x"});
    const Json* condition = object ? kube::FindCondition(*object, type) : nullptr;
    if (condition == nullptr) return "";
    return kube::TextAt(*condition, "/status") + " " + kube::TextAt(*condition, "/reason");
  }
  void AwaitCondition(const std::string& space, const std::string& type, const std::string& what) {
    EXPECT_TRUE(Await([&] { return Condition(space, type) == what; }))
        << api_.Find(kBenchmarks, {space, "x"}).value_or(Json()).dump(1) << operator_->output();
  }
  std::string Jobs(const Frontend& frontend) {
    Program list("twofold", {"job", "list", "--finished", "--frontend", frontend.client_address,
                             "--token-file", folder_ / "admin"});
    EXPECT_EQ(list.Wait(), 0) << list.output();
    return list.output();
  }

  fakes::KubeApi api_{{.resources = {kBenchmarks, kFrontends, pools::kWorkerPools}}};
  std::unique_ptr<Program> operator_;
};

// Each frontend knows the token of one namespace: any other at its door would be refused.
TEST_F(OperatorFrontendsTest, EachNamespaceRunsAtItsFrontendByItsToken) {
  Go();
  const Frontend one = Start("one", "client a " + TokenOf("a") + "\n");
  const Frontend two = Start("two", "client b " + TokenOf("b") + "\n");
  PutFrontend("default", one.client_address, {"a"});
  PutFrontend("two", two.client_address, {"b"});
  GiveToken("default", "a", TokenOf("a"));
  GiveToken("two", "b", TokenOf("b"));
  StartOperator(one);
  Create("a");
  Create("b", "two");
  AwaitCondition("a", "Succeeded", "True AllJobsSucceeded");
  AwaitCondition("b", "Succeeded", "True AllJobsSucceeded");
  EXPECT_THAT(Jobs(one), HasSubstr("succeeded"));
  EXPECT_THAT(Jobs(two), HasSubstr("succeeded"));
}

// The operator is an admin there, and another namespace a client.
TEST_F(OperatorFrontendsTest, ANamespaceCanDoWhatItsTokenCanAndNoMore) {
  Go();
  const Frontend own =
      Start("own", absl::StrCat("client a ", TokenOf("a"), "\nread-only b ", TokenOf("b"), "\n"));
  PutFrontend("default", "", {"a", "b", "c"});
  GiveToken("default", "a", TokenOf("a"));
  GiveToken("default", "b", TokenOf("b"));
  StartOperator(own);
  Create("a");
  AwaitCondition("a", "Succeeded", "True AllJobsSucceeded");
  Create("b");
  AwaitCondition("b", "Running", "False FrontendRefuses");
  Create("c");
  AwaitCondition("c", "Running", "False NoCredentials");
  Create("d");
  AwaitCondition("d", "Failed", "True Forbidden");
}

// Only an admin may drain workers; the operator is one.
TEST_F(OperatorFrontendsTest, AWorkerPoolIsLookedAfterByTheTokenOfItsNamespace) {
  const Frontend own =
      Start("own", absl::StrCat("client a ", TokenOf("a"), "\nadmin b ", TokenOf("b"), "\n"));
  PutFrontend("default", "", {"a", "b"}, {"WorkerPool"}, {"fio"});
  StartOperator(own, {"--worker-pools", "*"});
  const auto known = [&](const std::string& space) {
    const auto pool = api_.Find(pools::kWorkerPools, {space, "p"});
    const Json* condition = pool ? kube::FindCondition(*pool, "WorkersKnown") : nullptr;
    return condition == nullptr ? "" : kube::TextAt(*condition, "/status");
  };
  for (const std::string space : {"a", "b"}) {
    GiveToken("default", space, TokenOf(space));
    api_.Put(
        pools::kWorkerPools,
        {{"apiVersion", "twofold.dev/v1alpha1"},
         {"kind", "WorkerPool"},
         {"metadata", {{"name", "p"}, {"namespace", space}, {"generation", 1}}},
         {"spec",
          {{"replicas", 0},
           {"queue", "fio"},
           {"template", {{"spec", {{"containers", Json::array({{{"name", "backend"}}})}}}}}}}});
  }
  EXPECT_TRUE(Await([&] { return known("b") == "True"; })) << operator_->output();
  EXPECT_TRUE(Await([&] { return known("a") == "Unknown"; })) << known("a");
}

TEST_F(OperatorFrontendsTest, AnAddressWithTlsIsTrustedByItsCaAndShownItsCertificate) {
  Go();
  const Authority ca;
  const KeyPair server = ca.Issue("disks", false);
  const KeyPair peer = ca.Issue("peer", false);
  Write("ca.crt", ca.cert());
  Write("server.crt", server.cert);
  Write("server.key", server.key);
  Write("files/disks.tls.crt", peer.cert);
  Write("files/disks.tls.key", peer.key);
  GiveToken("disks", "a", TokenOf("a"));
  const Frontend disks =
      Start("disks", absl::StrCat("client a ", TokenOf("a"), "\n"),
            {"--tls-ca", folder_ / "ca.crt", "--tls-cert", folder_ / "server.crt", "--tls-key",
             folder_ / "server.key"},
            {"--tls-ca", folder_ / "ca.crt", "--tls-cert", folder_ / "files/disks.tls.crt",
             "--tls-key", folder_ / "files/disks.tls.key", "--tls-server-name", "disks"});
  PutFrontend("disks", disks.client_address, {"a"});
  api_.Change(kFrontends, {"", "disks"}, [](Json& object) {
    object["spec"]["serverName"] = "disks";
    object["spec"].erase("tls");
  });
  StartOperator(disks);
  Create("a", "disks");
  AwaitCondition("a", "Running", "False NoCredentials");
  Write("files/disks.ca.crt", ca.cert());
  AwaitCondition("a", "Succeeded", "True AllJobsSucceeded");
}

TEST_F(OperatorFrontendsTest, ATokenThatChangesIsReadAnew) {
  Go();
  const Frontend own = Start("own", absl::StrCat("client a ", TokenOf("a"), "\n"));
  PutFrontend("default", "", {"a"});
  GiveToken("default", "a", "token-of-last-year");
  StartOperator(own);
  Create("a");
  AwaitCondition("a", "Running", "False FrontendRefuses");
  GiveToken("default", "a", TokenOf("a"));
  AwaitCondition("a", "Succeeded", "True AllJobsSucceeded");
}

TEST_F(OperatorFrontendsTest, WhatAFrontendForbidsLaterIsCancelledThere) {
  const Frontend own = Start("own", absl::StrCat("client a ", TokenOf("a"), "\n"));
  GiveToken("default", "a", TokenOf("a"));
  StartOperator(own);
  Create("a");
  AwaitCondition("a", "Running", "False NoSuchFrontend");
  PutFrontend("default", "", {"a"});
  AwaitCondition("a", "Running", "True Running");
  EXPECT_TRUE(Await([&] { return std::filesystem::exists(folder_ / "begun"); }));
  PutFrontend("default", "", {"a"}, {"IPerf"});
  AwaitCondition("a", "Failed", "True Forbidden");
  EXPECT_TRUE(Await([&] { return Jobs(own).find("cancelled") != std::string::npos; }));
}

TEST_F(OperatorFrontendsTest, KnowsFrontendsByTheRightsOfTheirRoleAndReadsNoSecret) {
  Go();
  ListFirst(api_, {"frontends"});
  const Frontend own = Start("own", absl::StrCat("client a ", TokenOf("a"), "\n"));
  PutFrontend("default", "", {"a"});
  GiveToken("default", "a", TokenOf("a"));
  StartOperator(own);
  Create("a");
  AwaitCondition("a", "Succeeded", "True AllJobsSucceeded");
  Rights used;
  for (const fakes::KubeUse& each : api_.used()) {
    EXPECT_NE(each.resource, "secrets");
    // Frontends are in no namespace; AllowedBy puts what a ClusterRole allows into that one.
    if (each.resource != "frontends") continue;
    EXPECT_EQ(each.space, "");
    used.insert(absl::StrCat("validation ", each.group, "/", each.resource, " ", each.verb));
  }
  EXPECT_EQ(used, AllowedBy("benchmark-operator/frontends/role.yaml"));
}

}  // namespace
}  // namespace twofold::testing
