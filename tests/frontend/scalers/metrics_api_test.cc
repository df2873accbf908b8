// The metrics API of a whole frontend, asked as an API server does for an HPA.

#include <absl/strings/escaping.h>

#include "kubernetes/aggregated/registration.h"
#include "tests/fakes/aggregator.h"
#include "tests/fakes/kube_api.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/frontend/scalers/kubeconfig.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::frontend {
namespace {

using fakes::Aggregator;
using fakes::HpaEyes;
using fakes::KubeApi;
using ::testing::HasSubstr;

constexpr const char* kName = "fe.monitoring.svc";
constexpr const char* kExternal = "external.metrics.k8s.io";
constexpr const char* kCustom = "custom.metrics.k8s.io";

class MetricsApiTest : public FrontendTest {
 protected:
  MetricsApiTest() {
    api_.OnReview([](const kube::Json& spec) { return spec.at("user") == Aggregator::kHpa.name; });
    const testing::KeyPair pair = authority_.Issue(kName, false);
    testing::WriteFile(folder_ / "crt", pair.cert);
    testing::WriteFile(folder_ / "key", pair.key);
  }

  void ServeMetrics() {
    Serve([&](Options& options) {
      options.metrics_api_address = "127.0.0.1:0";
      options.metrics_api_service = "monitoring/fe";
      options.metrics_api_certificate.cert = folder_ / "crt";
      options.metrics_api_certificate.key = folder_ / "key";
    });
    ASSERT_NE(frontend_, nullptr);
    const auto address = ParseAddress(frontend_->metrics_api_address());
    aggregator_.emplace(address->port, kName, authority_.cert());
    api_.Put(kube::kConfigMaps, aggregator_->ConfigMap());
    for (int i = 0; i < 3000 && !aggregator_->Probe(kExternal, "v1beta1"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  testing::TempDir folder_;
  const testing::Authority authority_;
  KubeApi api_{{.resources = {fakes::kSubjectAccessReviews, aggregated::kApiServices}}};
  const testing::Kubeconfig kubeconfig_{api_};
  std::optional<Aggregator> aggregator_;
};

TEST_F(MetricsApiTest, IsOffUnlessItIsAskedFor) {
  Serve();
  EXPECT_EQ(frontend_->metrics_api_address(), "");
  EXPECT_TRUE(api_.requests().empty());
}

TEST_F(MetricsApiTest, AnHpaFollowsAQueueFromNoJobToNoJob) {
  ServeMetrics();
  EXPECT_TRUE(aggregator_->Discover(kExternal, "v1beta1"));
  for (const char* version : {"v1beta1", "v1beta2"}) {
    EXPECT_TRUE(aggregator_->Probe(kCustom, version)) << version;
    EXPECT_TRUE(aggregator_->Discover(kCustom, version)) << version;
  }
  EXPECT_TRUE(aggregator_->ReadOpenApi());

  HpaEyes hpa(*aggregator_);
  const auto sees = [&](double jobs) {
    EXPECT_EQ(hpa.External("any", "twofold_wanted", "queue=sleep"), jobs) << aggregator_->body;
    for (const char* version : {"v1beta1", "v1beta2"}) {
      EXPECT_EQ(hpa.Object("monitoring", "services/fe/twofold_wanted", "queue=sleep", version),
                jobs)
          << aggregator_->body;
      EXPECT_EQ(hpa.Object("monitoring", "metrics/twofold_wanted", "queue=sleep", version), jobs)
          << aggregator_->body;
    }
  };
  sees(0);
  auto client = NewClient();
  for (const std::uint64_t tag : {1U, 2U, 3U}) client->Submit("sleep", tag);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 3; });
  sees(3);
  EXPECT_EQ(hpa.External("any", "twofold_wanted", ""), 3) << "of all queues";
  auto worker = NewWorker();
  worker->Join("sleep", 1, 3);
  for (int i = 0; i < 3; ++i) {
    worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
    client->results.Take();
  }
  sees(0);
}

TEST_F(MetricsApiTest, OthersAreRefusedAndRequestsAreCounted) {
  ServeMetrics();
  const std::string path = std::string("/apis/") + kExternal +
                           "/v1beta1/namespaces/a/twofold_wanted?labelSelector=queue%3Dsleep";
  EXPECT_EQ(aggregator_->Get(path, {"somebody", {"system:authenticated"}}), 403);
  EXPECT_EQ(aggregator_->Get(path, Aggregator::kHpa), 200);
  aggregator_->ShowNone();
  EXPECT_EQ(aggregator_->Get(path, Aggregator::kHpa), 401);
  const std::string page = Get("/metrics").body;
  EXPECT_THAT(page,
              HasSubstr("twofold_metrics_api_requests_total{group=\"external.metrics.k8s.io\","
                        "code=\"403\"} 1"));
  EXPECT_THAT(page,
              HasSubstr("twofold_metrics_api_requests_total{group=\"external.metrics.k8s.io\","
                        "code=\"200\"} 1"));
  EXPECT_THAT(page, HasSubstr("twofold_metrics_api_freshness_seconds_count 1"));
}

TEST_F(MetricsApiTest, WithoutACertificateItMakesOneAndIsTrusted) {
  const kube::ObjectName name{"", std::string("v1beta1.") + kExternal};
  api_.Put(aggregated::kApiServices,
           {{"apiVersion", "apiregistration.k8s.io/v1"},
            {"kind", "APIService"},
            {"metadata", {{"name", name.name}}},
            {"spec", {{"service", {{"namespace", "monitoring"}, {"name", "fe"}}}}}});
  Serve([&](Options& options) {
    options.metrics_api_address = "127.0.0.1:0";
    options.metrics_api_service = "monitoring/fe";
  });
  std::string bundle;
  const auto is_trusted = [&] {
    const auto found = api_.Find(aggregated::kApiServices, name);
    return absl::Base64Unescape(kube::TextAt(*found, "/spec/caBundle"), &bundle) && !bundle.empty();
  };
  for (int i = 0; i < 3000 && !is_trusted(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto address = ParseAddress(frontend_->metrics_api_address());
  Aggregator aggregator(address->port, kName, bundle);
  EXPECT_EQ(aggregator.Get("/healthz", {}), 200) << aggregator.trouble;
  EXPECT_THAT(Get("/metrics").body, HasSubstr("twofold_metrics_api_certificate_expires_seconds"));
}

TEST_F(MetricsApiTest, OptionsThatDoNotGoTogetherAreNamed) {
  const auto says = [](const std::function<void(Options&)>& change) {
    Options options;
    options.queues = {"sleep"};
    change(options);
    return std::string(Frontend::Check(options).message());
  };
  EXPECT_THAT(says([](Options& options) { options.metrics_api_service = "a/b"; }),
              HasSubstr("need --metrics-api-address"));
  EXPECT_THAT(says([](Options& options) { options.metrics_api_address = ":0"; }),
              HasSubstr("--metrics-api-service: '' is no NAMESPACE/NAME"));
  EXPECT_THAT(says([](Options& options) {
                options.metrics_api_address = ":0";
                options.metrics_api_service = "A/b";
              }),
              HasSubstr("'A/b' is no NAMESPACE/NAME"));
}

}  // namespace
}  // namespace twofold::frontend
