// A database that is not there, or not yet, when a frontend starts.

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "frontend/queues/storage.h"
#include "tests/support/log_capture.h"
#include "tests/support/postgres_server.h"

namespace twofold::frontend {
namespace {

using testing::LogCapture;
using testing::PostgresServer;

TEST(FirstConnection, ADatabaseThatStartsLaterIsWaitedFor) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  PostgresServer server;
  const std::string address = server.NewDatabase();
  server.Stop();
  const LogCapture log;
  auto opened = std::async(std::launch::async, [&] { return Storage::Open({.url = address}); });
  while (log.text().find("tried again for") == std::string::npos) std::this_thread::yield();
  server.Start();
  const auto storage = opened.get();
  EXPECT_TRUE(storage.ok()) << storage.status();
}

TEST(FirstConnection, OneThatDoesNotComeIsGivenUp) {
  const auto opened = Storage::Open(
      {.url = "postgresql://x@127.0.0.1:1/x", .first_connection = std::chrono::milliseconds(1)});
  EXPECT_TRUE(absl::IsUnavailable(opened.status())) << opened.status();
}

TEST(FirstConnection, OneThatRefusesIsNotTriedAgain) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  std::string address = PostgresServer::Shared().NewDatabase();
  address.insert(address.find('?'), "_that_nobody_has_made");
  const LogCapture log;
  const auto opened = Storage::Open({.url = address});
  EXPECT_FALSE(opened.ok());
  EXPECT_EQ(log.text().find("tried again"), std::string::npos) << log.text();
}

}  // namespace
}  // namespace twofold::frontend
