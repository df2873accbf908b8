// APIServices that come to trust a process, on an API server in memory.

#include "kubernetes/aggregated/publisher.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/fakes/kube_api.h"
#include "tests/support/log_capture.h"

namespace twofold::aggregated {
namespace {

using fakes::KubeApi;
using kube::Json;
using ::testing::HasSubstr;

constexpr const char* kExternal = "v1beta1.external.metrics.k8s.io";

Json ApiService(const Json& service) {
  return {{"apiVersion", "apiregistration.k8s.io/v1"},
          {"kind", "APIService"},
          {"metadata", {{"name", kExternal}}},
          {"spec", {{"group", "external.metrics.k8s.io"}, {"service", service}}}};
}

const Json kOurs = {{"namespace", "monitoring"}, {"name", "fe"}, {"port", 443}};

TEST(Registration, SaysWhoHasAnApiService) {
  const kube::ObjectName service{"monitoring", "fe"};
  EXPECT_EQ(WhoHolds(nullptr, service).by, Holder::kNobody);
  Json found = ApiService(kOurs);
  EXPECT_EQ(WhoHolds(&found, service).by, Holder::kWe);
  found = ApiService({{"namespace", "keda"}, {"name", "keda-metrics"}});
  EXPECT_EQ(WhoHolds(&found, service).by, Holder::kSomebody);
  EXPECT_EQ(WhoHolds(&found, service).owner, "Service keda/keda-metrics");
  found["metadata"]["labels"] = {{"app.kubernetes.io/managed-by", "Helm"}};
  EXPECT_EQ(WhoHolds(&found, service).owner, "Service keda/keda-metrics, managed by Helm");
  found["metadata"]["annotations"] = {{"meta.helm.sh/release-name", "keda"}};
  EXPECT_EQ(WhoHolds(&found, service).owner, "Service keda/keda-metrics, release keda of Helm");
  found = ApiService(nullptr);
  EXPECT_EQ(WhoHolds(&found, service).owner, "the API server itself");
}

TEST(Registration, AnApiServiceThatTrustsAnybodyNeedsNoBundle) {
  Json found = ApiService(kOurs);
  found["spec"]["insecureSkipTLSVerify"] = true;
  EXPECT_EQ(TrustCas(found, {}, {}), std::nullopt);
}

class PublisherTest : public ::testing::Test {
 protected:
  std::unique_ptr<Publisher> Start(const std::string& maker,
                                   const std::function<void(Publisher::Options&)>& change = {}) {
    Publisher::Options options{.access = api_.access(),
                               .service = {"monitoring", "fe"},
                               .api_services = {kExternal},
                               .maker = maker,
                               .advice = "Take another road."};
    options.period = options.settle = std::chrono::milliseconds(1);
    if (change) change(options);
    return Publisher::Start(std::move(options)).value();
  }

  std::string Bundle() {
    const auto found = api_.Find(kApiServices, {"", kExternal});
    std::string bundle;
    EXPECT_TRUE(absl::Base64Unescape(kube::TextAt(*found, "/spec/caBundle"), &bundle));
    return bundle;
  }

  static void Await(const std::function<bool()>& wanted) {
    for (int i = 0; i < 3000; ++i) {
      if (wanted()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "it never came so";
  }

  static bool LeadsHere(const Publisher& publisher) {
    return publisher.Look().leads_here[kExternal];
  }

  // Publishers log from their threads; ThreadSanitizer does not see the usual logger's lock.
  testing::LogCapture log_;
  KubeApi api_{{.resources = {kApiServices}}};
};

TEST_F(PublisherTest, SeveralProcessesAreTrusted) {
  api_.Put(kApiServices, ApiService(kOurs));
  const auto a = Start("a");
  const auto b = Start("b");
  EXPECT_NE(a->Material(), nullptr) << "from the beginning";
  Await([&] { return LeadsHere(*a) && LeadsHere(*b); });
  const auto bundle = Bundle();
  EXPECT_THAT(bundle, HasSubstr("END CERTIFICATE-----\n-----BEGIN"));
  api_.Remove(kApiServices, {"", kExternal});
  Await([&] { return !LeadsHere(*a) && !LeadsHere(*b); });
  api_.Put(kApiServices, ApiService(kOurs));
  Await([&] { return LeadsHere(*a) && LeadsHere(*b); });
}

TEST_F(PublisherTest, OneThatIsSomebodyElsesIsLeftAsItIs) {
  const Json theirs = api_.Put(
      kApiServices, ApiService({{"namespace", "keda"}, {"name", "keda-metrics"}, {"port", 443}}));
  const auto publisher = Start("a");
  Await([&] {
    return publisher->Look().leads_here.contains(kExternal) && api_.requests().size() > 2;
  });
  EXPECT_FALSE(LeadsHere(*publisher));
  EXPECT_EQ(*api_.Find(kApiServices, {"", kExternal}), theirs);
  EXPECT_THAT(log_.text(), HasSubstr("APIService v1beta1.external.metrics.k8s.io is that of Service "
                                    "keda/keda-metrics, and is left as it is. Take another road."));
}

TEST_F(PublisherTest, ARenewedCertificateIsServedOnceItIsTrusted) {
  constexpr int kFailures = 20;
  api_.Put(kApiServices, ApiService(kOurs));
  api_.Add({.kind = fakes::KubeFault::Kind::kStatus, .verb = "patch", .times = kFailures});
  const auto publisher = Start("a", [](Publisher::Options& options) {
    options.lasts = options.renew_before = std::chrono::hours(1);  // always due
  });
  const auto first = publisher->Material();
  Await([&] { return publisher->Material() != first; });
  const auto requests = api_.requests();
  EXPECT_GT(std::ranges::count_if(requests, [](const auto& r) { return r.starts_with("PATCH"); }),
            kFailures);
}

TEST_F(PublisherTest, WithACertificateFromElsewhereItOnlyLooks) {
  api_.Put(kApiServices, ApiService(kOurs));
  const auto publisher =
      Start("a", [](Publisher::Options& options) { options.makes_certificate = false; });
  Await([&] { return LeadsHere(*publisher); });
  EXPECT_EQ(publisher->Material(), nullptr);
  EXPECT_EQ(publisher->Look().expires, std::nullopt);
  EXPECT_EQ(Bundle(), "");
}

}  // namespace
}  // namespace twofold::aggregated
