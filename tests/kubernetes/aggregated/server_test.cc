// A server behind the aggregator, asked in the order and as the users that API servers do.

#include "kubernetes/aggregated/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubernetes/aggregated/answers.h"
#include "tests/fakes/aggregator.h"
#include "tests/fakes/kube_api.h"
#include "tests/support/certificates.h"

namespace twofold::aggregated {
namespace {

using fakes::Aggregator;
using fakes::KubeApi;
using kube::Json;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kGroup = "g.example.org";
constexpr const char* kName = "fe.monitoring.svc";

class AggregatedServerTest : public ::testing::Test {
 protected:
  AggregatedServerTest() {
    api_.OnReview([this](const Json& spec) {
      const MutexLock lock(mutex_);
      reviews_.push_back(spec);
      return spec.at("user") != "nobody";
    });
    const testing::KeyPair own = authority_.Issue(kName, false);
    const auto material =
        std::make_shared<const security::TlsMaterial>(security::TlsMaterial{own.cert, own.key, ""});
    ServerOptions options{.address = {"127.0.0.1", 0},
                          .access = api_.access(),
                          .material = [material] { return material; },
                          .run_later =
                              [this](const std::function<void()>& task) {
                                tasks_.emplace_back(task);  // on the server's thread alone
                                return true;
                              }};
    server_ = Server::Start(std::move(options),
                            {.groups = {{kGroup, {{"v1", {{"things", true, "ThingList"}}}}}},
                             .answer =
                                 [](const Asked& asked) {
                                   return Answer({{"parts", asked.parts}, {"query", asked.query}});
                                 }})
                  .value();
    aggregator_.emplace(server_->port(), kName, authority_.cert());
  }

  ~AggregatedServerTest() override {
    server_.reset();
    for (std::thread& task : tasks_) task.join();
  }

  void PutConfigMap() {
    api_.Put(kube::kConfigMaps, aggregator_->ConfigMap());
    Await([&] { return aggregator_->Probe(kGroup, "v1"); });
  }

  /// Until it is so; fails after a time that only a hang takes.
  static void Await(const std::function<bool()>& wanted) {
    for (int i = 0; i < 3000; ++i) {
      if (wanted()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "it never came so";
  }

  std::size_t reviews() {
    const MutexLock lock(mutex_);
    return reviews_.size();
  }

  Mutex mutex_;
  std::vector<Json> reviews_ ABSL_GUARDED_BY(mutex_);
  const testing::Authority authority_;
  std::vector<std::thread> tasks_;
  KubeApi api_{{.resources = {fakes::kSubjectAccessReviews}}};
  std::unique_ptr<Server> server_;
  std::optional<Aggregator> aggregator_;
};

TEST_F(AggregatedServerTest, IsAvailableAndDiscoveredByUsersWithoutAGroup) {
  PutConfigMap();
  EXPECT_TRUE(aggregator_->Probe(kGroup, "v1"));
  EXPECT_TRUE(aggregator_->Discover(kGroup, "v1"));
  EXPECT_EQ(aggregator_->Document()["resources"][0]["name"], "things");
  EXPECT_TRUE(aggregator_->ReadOpenApi());
  EXPECT_EQ(aggregator_->Get(std::string("/apis/") + kGroup, {"u"}), 200);
  EXPECT_EQ(aggregator_->Document()["kind"], "APIGroup");
  EXPECT_EQ(aggregator_->Get("/apis/other.example.org/v1", {"u"}), 404);
  EXPECT_EQ(aggregator_->Get(std::string("/apis/") + kGroup + "/v2", {"u"}), 404);
  EXPECT_EQ(reviews(), 0U) << "nobody need be allowed to see what there is";
}

TEST_F(AggregatedServerTest, ResourcesAreForThoseWhomTheApiServerAllows) {
  PutConfigMap();
  const std::string path = std::string("/apis/") + kGroup + "/v1/namespaces/ns/things/a%2Fb?x=1";
  EXPECT_EQ(aggregator_->Get(path, {"u", {"g, h", "i"}, {{"Example.org%2Fid", "7"}}, "12"}), 200)
      << aggregator_->body;
  EXPECT_EQ(
      aggregator_->Document(),
      Json::parse(R"({"parts": ["namespaces", "ns", "things", "a/b"], "query": {"x": "1"}})"));
  {
    const MutexLock lock(mutex_);
    ASSERT_EQ(reviews_.size(), 1U);
    EXPECT_EQ(reviews_[0], Json::parse(R"({"user": "u", "uid": "12", "groups": ["g, h", "i"],
        "extra": {"example.org/id": ["7"]}, "resourceAttributes": {"verb": "get",
        "group": "g.example.org", "version": "v1", "namespace": "ns", "resource": "things",
        "name": "a/b", "subresource": ""}})"));
  }
  EXPECT_EQ(aggregator_->Get(path, {"nobody"}), 403);
  EXPECT_THAT(aggregator_->Document()["message"].get<std::string>(),
              HasSubstr("user nobody cannot get resource things"));
  EXPECT_EQ(aggregator_->Get(path, Aggregator::kMaster), 200);
  EXPECT_EQ(reviews(), 2U) << "masters may do everything";
  EXPECT_EQ(aggregator_->Get(path, {"nobody"}), 403);
  EXPECT_EQ(reviews(), 2U) << "remembered";
  EXPECT_THAT(server_->Counts(), Contains(RequestCount{kGroup, 200, 2}));
  EXPECT_THAT(server_->Counts(), Contains(RequestCount{kGroup, 403, 2}));
}

TEST_F(AggregatedServerTest, NobodyIsBelievedWithoutTheFrontProxysCertificate) {
  PutConfigMap();
  const std::string path = std::string("/apis/") + kGroup + "/v1/namespaces/ns/things/a";
  const auto refuses = [&](const std::string& what) {
    EXPECT_EQ(aggregator_->Get(path, Aggregator::kMaster), 401) << what << aggregator_->trouble;
    EXPECT_EQ(aggregator_->Get("/apis", Aggregator::kMaster), 401) << what;
    EXPECT_EQ(aggregator_->Get("/healthz", {}), 200) << what << ": probes have no certificate";
    EXPECT_EQ(aggregator_->Get("/livez", {}), 200) << what;
    EXPECT_EQ(aggregator_->Get("/readyz", {}), 200) << what;
  };
  aggregator_->ShowNone();
  refuses("no certificate");
  aggregator_->ShowForeign();
  refuses("one of another CA");
  aggregator_->Show("somebody");
  refuses("one for another name");
  aggregator_->Show("front-proxy-client");
  EXPECT_EQ(aggregator_->Get(path, {""}), 401) << "no user";
  EXPECT_EQ(aggregator_->Get(path, {"u"}), 200);
}

TEST_F(AggregatedServerTest, FollowsTheConfigMap) {
  EXPECT_EQ(aggregator_->Get("/apis", Aggregator::kMaster), 503) << "whom to believe is not known";
  EXPECT_EQ(aggregator_->Document()["reason"], "ServiceUnavailable");
  EXPECT_EQ(aggregator_->Get("/readyz", {}), 200);
  PutConfigMap();
  aggregator_->Rotate();
  EXPECT_EQ(aggregator_->Get("/apis", Aggregator::kMaster), 401) << "a CA that is not there yet";
  PutConfigMap();
  Json unusable = aggregator_->ConfigMap();
  unusable["data"]["requestheader-client-ca-file"] = "";
  api_.Put(kube::kConfigMaps, unusable);
  EXPECT_EQ(aggregator_->Get("/apis", Aggregator::kMaster), 200)
      << "what is unusable does not count";
}

TEST_F(AggregatedServerTest, AskedTooMuchOrWhatIsNotThere) {
  PutConfigMap();
  const std::string root = std::string("/apis/") + kGroup;
  EXPECT_EQ(aggregator_->Get("/", {"u"}), 404);
  EXPECT_EQ(aggregator_->Get("/metrics", {"u"}), 404);
  EXPECT_EQ(aggregator_->Get(root + "/v2/things", {"u"}), 404);
  EXPECT_EQ(aggregator_->Get(root + "/v1//things", {"u"}), 404);
  EXPECT_EQ(aggregator_->Get(root + "/v1/things", {"u"}, "", "DELETE"), 405);
  EXPECT_EQ(aggregator_->Document()["reason"], "MethodNotAllowed");
}

TEST_F(AggregatedServerTest, AnApiServerThatDoesNotSayIsNoPermission) {
  PutConfigMap();
  const std::string path = std::string("/apis/") + kGroup + "/v1/namespaces/ns/things/a";
  api_.Add({.kind = fakes::KubeFault::Kind::kStatus, .verb = "create", .status = 500});
  EXPECT_EQ(aggregator_->Get(path, {"u"}), 503);
  EXPECT_EQ(aggregator_->Get(path, {"u"}), 200) << "and is not remembered as one";
}

}  // namespace
}  // namespace twofold::aggregated
