#include "kubernetes/lifecycle/sending/etcd_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/kube_api.h"

namespace twofold::lifecycle {
namespace {

using ::testing::HasSubstr;

TEST(EtcdSizeReader, TheLargestOfSeveralStoresCounts) {
  EtcdSizeReader metrics;
  metrics.Read(
      "apiserver_storage_size_bytes{storage_cluster_id=\"etcd-0\"} 4.308992e+06\n"
      "apiserver_storage_size_bytes{storage_cluster_id=\"etcd-1\"} 5000000\n"
      "apiserver_storage_size_bytes{storage_cluster_id=\"etcd-2\"} 12\n");
  EXPECT_EQ(metrics.bytes(), 5'000'000U);
}

TEST(EtcdSizeReader, EarlierNamesAreKnown) {
  for (const std::string name :
       {"apiserver_storage_db_total_size_in_bytes{endpoint=\"e\"}",
        "etcd_db_total_size_in_bytes{endpoint=\"e\"}", "apiserver_storage_size_bytes"}) {
    EtcdSizeReader metrics;
    metrics.Read(name + " 7\n");
    EXPECT_EQ(metrics.bytes(), 7U) << name;
  }
}

TEST(EtcdSizeReader, BytesMayBeCutAnywhere) {
  const std::string text = "a 1\napiserver_storage_size_bytes{x=\"y\"} 42 1700000000\nb 2\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EtcdSizeReader metrics;
    metrics.Read(text.substr(0, cut));
    metrics.Read(text.substr(cut));
    EXPECT_EQ(metrics.bytes(), 42U) << cut;
  }
}

TEST(EtcdSizeReader, WhatIsNoSizeIsNotRead) {
  EtcdSizeReader metrics;
  metrics.Read(
      "# HELP apiserver_storage_size_bytes Size\napiserver_storage_size_bytes_x 3\n"
      "apiserver_storage_size_bytes{} NaN\napiserver_storage_size_bytes{} -1\n"
      "apiserver_storage_size_bytes\n\n");
  EXPECT_FALSE(metrics.bytes());
}

TEST(EtcdSizeReader, ALineWithoutAnEndIsNotKept) {
  EtcdSizeReader metrics;
  metrics.Read("apiserver_storage_size_bytes{x=\"" + std::string(10'000, 'x'));
  metrics.Read("\"} 9\napiserver_storage_size_bytes 8\n");
  EXPECT_EQ(metrics.bytes(), 8U);
}

TEST(CheckRoom, StopsAtItsPartOfTheQuota) {
  const EtcdLimits limits{.quota = 1000, .stop_at = 0.8};
  EXPECT_TRUE(CheckRoom(799, limits).ok());
  const Status full = CheckRoom(800, limits);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("--etcd-quota"));
}

TEST(ReadEtcdSize, AsksTheServer) {
  fakes::KubeApi api;
  kube::Connection connection(api.access());
  api.SetStorage(123'000'000);
  for (int i = 0; i < 2; ++i) {
    const auto bytes = ReadEtcdSize(connection);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ(*bytes, 123'000'000U);
  }
  api.SetStorage(std::nullopt);
  EXPECT_EQ(ReadEtcdSize(connection).status().code(), absl::StatusCode::kNotFound);
  api.Add({.kind = fakes::KubeFault::Kind::kStatus, .verb = "metrics", .status = 403});
  EXPECT_EQ(ReadEtcdSize(connection).status().code(), absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace twofold::lifecycle
