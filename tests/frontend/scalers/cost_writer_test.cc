// Deletion costs of pods: written on an API server in memory, by a whole frontend, and by a writer
// alone while that server is in trouble.

#include "frontend/scalers/cost_writer.h"

#include <absl/strings/match.h>

#include <functional>
#include <thread>

#include "lib/metrics/family.h"
#include "tests/fakes/kube_api.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/frontend/scalers/kubeconfig.h"
#include "tests/frontend/tenures_fixture.h"
#include "tests/integration/rights.h"
#include "tests/support/log_capture.h"

namespace twofold::frontend {
namespace {

using fakes::KubeApi;
using fakes::KubeFault;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCostPath =
    "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost";

/// The pods of a namespace, as an API server in memory has them.
class PodsOf {
 public:
  void Add(const std::string& pod, const kube::Json& annotations = kube::Json::object()) {
    api.Put(
        kube::kPods,
        {{"apiVersion", "v1"},
         {"kind", "Pod"},
         {"metadata", {{"name", pod}, {"namespace", "monitoring"}, {"annotations", annotations}}}});
  }
  /// Empty: it has none.
  [[nodiscard]] std::string CostOf(const std::string& pod) const {
    const auto found = api.Find(kube::kPods, {"monitoring", pod});
    const kube::Json::json_pointer path(kCostPath);
    return found && found->contains(path) ? found->at(path).get<std::string>() : "";
  }
  void Await(const std::string& pod, const std::string& cost) const {
    for (int i = 0; i < 3000 && CostOf(pod) != cost; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(CostOf(pod), cost) << pod;
  }

  KubeApi api;
};

// ---- A whole frontend

class DeletionCostTest : public FrontendTest {
 protected:
  void ServeCosts() {
    Serve([](Options& options) { options.deletion_cost = "monitoring"; });
  }

  PodsOf pods_;
  const testing::Kubeconfig kubeconfig_{pods_.api};
};

TEST_F(DeletionCostTest, IsOffUnlessItIsAskedFor) {
  Serve();
  NewWorker()->Join("sleep", 1, 1);
  EXPECT_THAT(Get("/metrics").body, Not(HasSubstr("deletion_cost")));
  EXPECT_TRUE(pods_.api.requests().empty());
}

TEST_F(DeletionCostTest, APodCostsMoreWhileItsWorkerHasAJob) {
  pods_.Add("pod-1", {{"kept", "as it is"}});
  ServeCosts();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  pods_.Await("pod-1", "0");
  auto client = NewClient();
  client->Submit("sleep", 1);
  const testing::Assigned job = worker->assigned.Take();
  pods_.Await("pod-1", "1");
  worker->Answer(job, v1::OUTCOME_SUCCEEDED);
  pods_.Await("pod-1", "0");
  EXPECT_EQ(pods_.api.requests().size(), 3U) << "a patch an edge";
  const auto pod = pods_.api.Find(kube::kPods, {"monitoring", "pod-1"});
  EXPECT_EQ(kube::TextAt(*pod, "/metadata/annotations/kept"), "as it is");
  const std::string page = Get("/metrics").body;
  EXPECT_THAT(page, HasSubstr("twofold_deletion_cost_patches_total{code=\"200\"} 3"));
  EXPECT_THAT(page, HasSubstr("twofold_deletion_costs_pending 0"));
}

TEST_F(DeletionCostTest, UsesTheRightsOfItsRoleAndNoOthers) {
  pods_.Add("pod-1");
  ServeCosts();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  pods_.Await("pod-1", "0");
  EXPECT_EQ(testing::UsedOf(pods_.api), testing::AllowedBy("frontend/deletion-cost/rights.yaml"));
}

TEST_F(DeletionCostTest, WhatAnEarlierFrontendHasWrittenIsPutRight) {
  pods_.Add("pod-1", {{"controller.kubernetes.io/pod-deletion-cost", "1"}});
  ServeCosts();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  pods_.Await("pod-1", "0");
}

TEST(DeletionCostOption, NamesANamespace) {
  Options options;
  options.queues = {"sleep"};
  options.deletion_cost = "Monitoring/x";
  EXPECT_THAT(std::string(Frontend::Check(options).message()),
              HasSubstr("--deletion-cost: 'Monitoring/x' is no NAMESPACE, such as monitoring"));
  options.deletion_cost = "monitoring";
  EXPECT_TRUE(Frontend::Check(options).ok());
}

// ---- A writer alone

class CostWriterTest : public ::testing::Test {
 protected:
  void Start() {
    writer_ = std::make_unique<scalers::CostWriter>(
        scalers::CostWriter::Options{.access = pods_.api.access(),
                                     .space = "monitoring",
                                     .period = std::chrono::milliseconds(5),
                                     .right_missing = std::chrono::milliseconds(20)},
        queues_);
  }
  ProcessId Join(const std::string& pod, QueueHost& host) {
    return Turn(host, Now()).Join(ProcessKey{++keys_}, 1, {}, {"node", pod}, worker_, {});
  }
  ProcessId Join(const std::string& pod) { return Join(pod, *queues_.all()[0]); }
  static void Submit(QueueHost& host) {
    Turn(host, Now()).Submit(queue::kDetached, 0, std::make_shared<queue::JobOptions>(), "");
  }
  std::string Page() { return metrics::Page(writer_->Families()).body; }
  void AwaitPage(const std::string& line) {
    for (int i = 0; i < 3000 && !absl::StrContains(Page(), line); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_THAT(Page(), HasSubstr(line));
  }
  void Fail(const KubeFault& fault) { pods_.api.Add(fault); }

  const testing::LogCapture log_;
  PodsOf pods_;
  std::uint64_t keys_ = 0;
  const std::shared_ptr<FakeWorker> worker_ = std::make_shared<FakeWorker>();
  QueueSet queues_{
      {{.name = "sleep", .number = 0}, {.name = "media", .number = 1}}, {}, 1, nullptr};
  QueueHost& sleep_ = *queues_.all()[0];
  QueueHost& media_ = *queues_.all()[1];
  std::unique_ptr<scalers::CostWriter> writer_;  // the last: it reads the queues
};

TEST_F(CostWriterTest, IdleWorkersCostLessThanBusyOnesAndMoreThanThoseThatTakeNoJobs) {
  for (const char* pod : {"idle", "busy", "draining", "paused"}) pods_.Add(pod);
  Join("busy", media_);
  Submit(media_);
  Join("idle");
  const ProcessId draining = Join("draining");
  Turn(sleep_, Now()).Draining(draining);
  Join("paused");
  Turn(sleep_, Now()).PauseWorkers({.node = "", .pod = "paused"});
  Start();
  pods_.Await("busy", "1");
  pods_.Await("idle", "0");
  pods_.Await("draining", "-1");
  pods_.Await("paused", "-1");
}

TEST_F(CostWriterTest, APodWithSeveralWorkersIsAsBusyAsTheBusiest) {
  pods_.Add("p");
  Join("p", media_);
  Submit(media_);
  Join("p", sleep_);
  Start();
  pods_.Await("p", "1");
}

TEST_F(CostWriterTest, APodThatIsNotThereIsAskedForOnceAndTheOthersAreWritten) {
  pods_.Add("there");
  Join("vm.example.org");
  Join("no/name");
  Start();
  AwaitPage("twofold_deletion_cost_patches_total{code=\"404\"} 1");
  Join("there");
  pods_.Await("there", "0");
  Submit(sleep_);
  Submit(sleep_);
  Submit(sleep_);
  pods_.Await("there", "1");
  EXPECT_EQ(pods_.api.requests().size(), 3U);
  EXPECT_THAT(log_.text(), HasSubstr("--deletion-cost names its namespace"));
  EXPECT_THAT(log_.text(), HasSubstr("'no/name' cannot be a name"));
}

TEST_F(CostWriterTest, ARightThatLacksIsSaidOnceAndTheWritingGoesOnWhenItIsThere) {
  pods_.Add("p");
  Fail({.kind = KubeFault::Kind::kStatus, .verb = "patch", .times = 2, .status = 403});
  Join("p");
  Start();
  pods_.Await("p", "0");
  AwaitPage("twofold_deletion_cost_patches_total{code=\"403\"} 2");
  AwaitPage("twofold_deletion_costs_pending 0");
  const std::string text = log_.text();
  const auto first = text.find("needs the right to patch these pods");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("needs the right", first + 1), std::string::npos) << text;
}

TEST_F(CostWriterTest, AServerThatIsBusyIsLeftAloneForAsLongAsItAsksAndGetsTheNewestCostThen) {
  pods_.Add("p");
  Fail({.kind = KubeFault::Kind::kThrottle, .retry_after_s = 2});
  Join("p");
  const Instant begin = Now();
  Start();
  AwaitPage("twofold_deletion_cost_patches_total{code=\"429\"} 1");
  Submit(sleep_);
  pods_.Await("p", "1");
  EXPECT_GE(Now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(pods_.api.requests().size(), 2U);
}

TEST_F(CostWriterTest, AWebhookThatDeniesAPodIsNoMatterOfTheOthers) {
  pods_.Add("denied");
  pods_.Add("p");
  Fail({.kind = KubeFault::Kind::kStatus,
        .verb = "patch",
        .times = 1,
        .status = 403,
        .body = R"({"kind": "Status", "code": 403, "reason": "Forbidden", "message":
            "admission webhook \"x\" denied the request: no owner"})"});
  Join("denied");
  Start();
  AwaitPage("twofold_deletion_cost_patches_total{code=\"403\"} 1");
  Join("p");
  pods_.Await("p", "0");
  EXPECT_EQ(pods_.CostOf("denied"), "") << "and not asked for again";
  EXPECT_THAT(log_.text(), Not(HasSubstr("needs the right")));
}

TEST_F(CostWriterTest, APodOfTheSameNameIsWrittenAnew) {
  pods_.Add("p");
  const ProcessId first = Join("p");
  Submit(sleep_);
  Start();
  pods_.Await("p", "1");
  pods_.Add("p");  // another one
  {
    Turn turn(sleep_, Now());
    turn.Left(first, worker_.get());
    turn.Join(ProcessKey{++keys_}, 1, {}, {"node", "p"}, worker_, {});
  }
  pods_.Await("p", "1");
}

TEST_F(CostWriterTest, AServerThatFailsIsAskedAgain) {
  pods_.Add("p");
  Fail({.kind = KubeFault::Kind::kStatus, .verb = "patch", .status = 500});
  Join("p");
  Start();
  pods_.Await("p", "0");
  AwaitPage("twofold_deletion_cost_patches_total{code=\"500\"} 1");
}

TEST_F(CostWriterTest, AConnectionThatBreaksCostsNothing) {
  pods_.Add("p");
  Fail({.kind = KubeFault::Kind::kClose});
  Fail({.kind = KubeFault::Kind::kLoseReply});
  Join("p");
  Start();
  pods_.Await("p", "0");
}

TEST_F(CostWriterTest, EndsAtOnceWhileTheServerHangs) {
  pods_.Add("p");
  Fail({.kind = KubeFault::Kind::kHang});
  Join("p");
  Start();
  for (int i = 0; i < 3000 && pods_.api.requests().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const Instant begin = Now();
  writer_.reset();
  EXPECT_LT(Now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace twofold::frontend
