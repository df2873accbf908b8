// Several frontends share the queues; KEDA asks any of them.

#include "tests/frontend/cluster_fixture.h"
#include "tests/frontend/scalers/keda.h"

namespace twofold::frontend {
namespace {

using testing::Keda;

class ClusterScalersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  }

  /// Looks until the frontend knows; it learns within a second or two.
  static double Await(Keda& keda, double wanted) {
    double seen = -1;
    Cluster::Await("the value", [&] {
      if (!keda.GetMetricSpec().ok() || !keda.Look().ok()) return false;
      seen = keda.value().metricvaluefloat();
      return seen == wanted;
    });
    return seen;
  }
};

TEST_F(ClusterScalersTest, AnyFrontendAnswersForAllQueuesAndAllShards) {
  Cluster cluster({"q0", "q1", "wide"}, [](Options& options) {
    options.scaler_address = "127.0.0.1:0";
    options.shards = {"wide=2"};
  });
  for (const char* name : {"a", "b"}) cluster.Add(name);
  Cluster::Await("both serve some", [&] {
    std::map<std::string, int> served;
    for (Member* const member : cluster.all()) {
      const v1::ListFrontendsReply seen = member->List();
      for (const v1::Frontend& one : seen.frontends()) served[one.name()] = one.partitions_size();
    }
    return served["a"] > 0 && served["b"] > 0;
  });

  std::vector<std::pair<std::string, int>> jobs = {{"q0", 1}, {"q1", 2}, {"wide", 3}};
  std::vector<std::shared_ptr<Keda>> streams;
  for (Member* const member : cluster.all()) {
    for (const auto& [queue, count] : jobs) {
      streams.push_back(std::make_shared<Keda>(member->frontend().scaler_address(),
                                               Keda::Metadata{{"queue", queue}}));
      streams.back()->Watch();
      EXPECT_EQ(streams.back()->Next(), false) << queue;
    }
  }
  for (const auto& [queue, count] : jobs) {
    for (int i = 0; i < count; ++i) cluster.at("a").Submit(queue);
  }
  for (const auto& stream : streams) EXPECT_EQ(stream->Next(), true);
  for (Member* const member : cluster.all()) {
    for (const auto& [queue, count] : jobs) {
      Keda keda(member->frontend().scaler_address(), {{"queue", queue}});
      EXPECT_EQ(Await(keda, count), count) << queue;
    }
  }

  // Who is left takes the queues over, and knows of them at once.
  streams.clear();
  cluster.Remove("a");
  for (const auto& [queue, count] : jobs) {
    Keda keda(cluster.at("b").frontend().scaler_address(), {{"queue", queue}});
    EXPECT_EQ(Await(keda, count), count) << queue;
  }
}

}  // namespace
}  // namespace twofold::frontend
