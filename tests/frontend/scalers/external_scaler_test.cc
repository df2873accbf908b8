// The port for autoscalers, asked in the order in which KEDA asks.

#include <filesystem>
#include <memory>
#include <vector>

#include "frontend/access.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/frontend/scalers/keda.h"
#include "tests/support/certificates.h"

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;
using testing::Keda;

class ExternalScalerTest : public FrontendTest {
 protected:
  void ServeScalers(const std::function<void(Options&)>& change = [](Options&) {}) {
    Serve([&](Options& options) {
      options.scaler_address = "127.0.0.1:0";
      change(options);
    });
  }

  Keda NewTrigger(const Keda::Metadata& metadata) {
    return Keda(frontend_->scaler_address(), metadata);
  }

  /// Waits until the queue has so many waiting jobs.
  void AwaitWaiting(std::uint64_t jobs) {
    AwaitQueue("sleep", [&](const v1::Queue& queue) { return queue.waiting() == jobs; });
  }
};

TEST_F(ExternalScalerTest, IsOffUnlessItIsAskedFor) {
  Serve();
  EXPECT_EQ(frontend_->scaler_address(), "");
}

TEST_F(ExternalScalerTest, TellsTheHpaItsMetricAndTarget) {
  ServeScalers();
  Keda keda = NewTrigger({{"queue", "sleep"}, {"metric", "waiting"}, {"target", "2.5"}});
  ASSERT_EQ(keda.GetMetricSpec(), absl::OkStatus());
  ASSERT_EQ(keda.spec.metricspecs_size(), 1);
  EXPECT_EQ(keda.spec.metricspecs(0).metricname(), "sleep-waiting");
  EXPECT_EQ(keda.spec.metricspecs(0).targetsizefloat(), 2.5);
  EXPECT_EQ(keda.spec.metricspecs(0).targetsize(), 3) << "for a KEDA that knows no fractions";
  EXPECT_EQ(keda.WatchSpec().SerializeAsString(), keda.spec.SerializeAsString());
}

TEST_F(ExternalScalerTest, FollowsAQueueFromNoJobToNoJob) {
  ServeScalers();
  Keda keda = NewTrigger({{"queue", "sleep"}});
  ASSERT_TRUE(keda.GetMetricSpec().ok());
  ASSERT_TRUE(keda.Look().ok());
  EXPECT_EQ(keda.value().metricname(), "sleep-wanted");
  EXPECT_EQ(keda.value().metricvalue(), 0);
  EXPECT_EQ(keda.value().metricvaluefloat(), 0);
  EXPECT_FALSE(keda.activity.result());

  auto client = NewClient();
  for (const std::uint64_t tag : {1U, 2U, 3U}) client->Submit("sleep", tag);
  AwaitWaiting(3);
  ASSERT_TRUE(keda.Look().ok());
  EXPECT_EQ(keda.value().metricvalue(), 3);
  EXPECT_EQ(keda.value().metricvaluefloat(), 3);
  EXPECT_TRUE(keda.activity.result());

  auto worker = NewWorker();
  worker->Join("sleep", 1, 3);
  for (int i = 0; i < 3; ++i) {
    const testing::Assigned job = worker->assigned.Take();
    ASSERT_TRUE(keda.Look().ok());
    EXPECT_EQ(keda.value().metricvalue(), 3 - i) << "running jobs count";
    EXPECT_TRUE(keda.activity.result());
    worker->Answer(job, v1::OUTCOME_SUCCEEDED);
    client->results.Take();
  }
  ASSERT_TRUE(keda.Look().ok());
  EXPECT_EQ(keda.value().metricvalue(), 0);
  EXPECT_FALSE(keda.activity.result());
}

TEST_F(ExternalScalerTest, SaysTheStateOnConnectAndPushesChanges) {
  ServeScalers();
  Keda keda = NewTrigger({{"queue", "sleep"}});
  keda.Watch();
  EXPECT_EQ(keda.Next(), false);
  auto client = NewClient();
  client->Submit("sleep", 1);
  EXPECT_EQ(keda.Next(), true);
  Keda late = NewTrigger({{"queue", "sleep"}});
  late.Watch();
  EXPECT_EQ(late.Next(), true);

  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(keda.Next(), false);
  EXPECT_EQ(late.Next(), false);
}

TEST_F(ExternalScalerTest, StreamsEndInOrderWhenTheFrontendDoes) {
  ServeScalers();
  Keda keda = NewTrigger({{"queue", "sleep"}});
  keda.Watch();
  EXPECT_EQ(keda.Next(), false);
  frontend_.reset();
  EXPECT_EQ(keda.Next(), std::nullopt);
  EXPECT_EQ(keda.End(), absl::OkStatus()) << "KEDA would wait longer each time";
}

TEST_F(ExternalScalerTest, BadMetadataAreRefusedByEveryCall) {
  ServeScalers();
  const std::vector<std::pair<Keda::Metadata, std::string>> cases = {
      {{}, "scalerMetadata: queue is missing"},
      {{{"queue", "slep"}}, "scalerMetadata: queue: there is no 'slep'; did you mean 'sleep'?"},
      {{{"queue", "sleep"}, {"metric", "cpu"}}, "scalerMetadata: metric is 'cpu'"},
  };
  for (const auto& [metadata, complaint] : cases) {
    Keda keda = NewTrigger(metadata);
    keda.Watch();
    EXPECT_EQ(keda.Next(), std::nullopt);
    for (const Status& status : {keda.GetMetricSpec(), keda.Look(), keda.End()}) {
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
      EXPECT_THAT(status.message(), HasSubstr(complaint));
    }
  }
}

TEST_F(ExternalScalerTest, AMetricOfOtherMetadataIsRefused) {
  ServeScalers();
  Keda before = NewTrigger({{"queue", "sleep"}});
  Keda now = NewTrigger({{"queue", "sleep"}, {"metric", "waiting"}});
  ASSERT_TRUE(before.GetMetricSpec().ok());
  now.spec = before.spec;
  const Status status = now.Look();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(),
              HasSubstr("metricName is 'sleep-wanted', and has to be 'sleep-waiting'"));
}

TEST_F(ExternalScalerTest, ARateIsNoNumberBeforeThereIsOne) {
  ServeScalers();
  Keda keda = NewTrigger({{"queue", "sleep"}, {"metric", "wanted_by_rate"}});
  ASSERT_TRUE(keda.GetMetricSpec().ok());
  EXPECT_TRUE(absl::IsUnavailable(keda.Look()));
}

TEST_F(ExternalScalerTest, OneHostHasOnlySoManyStreams) {
  ServeScalers([](Options& options) { options.peer_calls = 1; });
  Keda first = NewTrigger({{"queue", "sleep"}});
  first.Watch();
  EXPECT_EQ(first.Next(), false);
  Keda second = NewTrigger({{"queue", "sleep"}});
  second.Watch();
  EXPECT_EQ(second.Next(), std::nullopt);
  EXPECT_TRUE(absl::IsResourceExhausted(second.End()));
  EXPECT_THAT(Get("/metrics").body,
              HasSubstr("twofold_denied_total{door=\"scaler\",reason=\"too_many\"} 1"));
}

TEST_F(ExternalScalerTest, OneHostHasAThousandStreamsAtMost) {
  ServeScalers();
  std::vector<std::unique_ptr<Keda>> all;
  for (int i = 0; i < 1000; ++i) {
    all.push_back(
        std::make_unique<Keda>(frontend_->scaler_address(), Keda::Metadata{{"queue", "sleep"}}));
    all.back()->Watch();
  }
  for (const auto& one : all) ASSERT_EQ(one->Next(), false);
  Keda further = NewTrigger({{"queue", "sleep"}});
  further.Watch();
  EXPECT_EQ(further.Next(), std::nullopt);
  EXPECT_TRUE(absl::IsResourceExhausted(further.End()));
}

TEST_F(ExternalScalerTest, AnswersWhoeverHasACertificateAndAsksForNoToken) {
  const std::filesystem::path folder = ::testing::TempDir();
  const testing::Authority authority;
  const auto file = [&](const std::string& name, const std::string& text) {
    testing::WriteFile(folder / ("scaler-" + name), text);
    return (folder / ("scaler-" + name)).string();
  };
  const testing::KeyPair server = authority.Issue("frontend");
  const testing::KeyPair keda = authority.Issue("keda");
  ServeScalers([&](Options& options) {
    options.security.cert = file("tls.crt", server.cert);
    options.security.key = file("tls.key", server.key);
    options.security.ca = file("ca.crt", authority.cert());
    options.security.token_file = file("tokens", "admin root admin-admin-admin-admin\n");
  });
  security::ClientOptions options;
  options.ca = file("ca.crt", authority.cert());
  const auto stranger = security::Client::Open(options);
  options.cert = file("keda.crt", keda.cert);
  options.key = file("keda.key", keda.key);
  const auto known = security::Client::Open(options);
  ASSERT_TRUE(stranger.ok() && known.ok());
  Keda allowed(frontend_->scaler_address(), {{"queue", "sleep"}}, *known);
  EXPECT_EQ(allowed.GetMetricSpec(), absl::OkStatus());
  Keda refused(frontend_->scaler_address(), {{"queue", "sleep"}}, *stranger);
  EXPECT_TRUE(absl::IsUnavailable(refused.GetMetricSpec()));
}

TEST_F(ExternalScalerTest, EachOfItsMethodsHasARowInTheTableOfRoles) {
  const auto& service = *externalscaler::ScaledObjectRef::descriptor()->file()->service(0);
  ASSERT_EQ(service.method_count(), 5);
  for (int i = 0; i < service.method_count(); ++i) {
    const std::string method = "/" + service.full_name() + "/" + service.method(i)->name();
    EXPECT_TRUE(HasAccessRule(method)) << method;
    EXPECT_TRUE(RolesOfMethod(method).open()) << method;
  }
}

}  // namespace
}  // namespace twofold::frontend
