#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/integration/frontends_fixture.h"
#include "tests/support/socket_relay.h"

namespace twofold::testing {

/// The server is this test's alone.
class FrontendsServerTest : public FrontendsTest {
 protected:
  PostgresServer& server() override {
    if (!server_) server_.emplace();
    return *server_;
  }
  void TearDown() override {
    FrontendsTest::TearDown();
    server_.reset();
  }

 private:
  std::optional<PostgresServer> server_;
};

/// Each frontend has a way of its own to the database.
class FrontendsRelayTest : public FrontendsServerTest {
 protected:
  std::string StoreOf(std::size_t frontend) override {
    const std::string way = folder_ / ("way" + std::to_string(frontend));
    std::filesystem::create_directory(way);
    const std::string socket = "/.s.PGSQL.5432";
    relays_[frontend].emplace(way + socket, server().folder() + socket);
    const std::size_t host = database_.find("?host=");
    return database_.substr(0, host) + "?host=" + way;
  }
  SocketRelay& RelayOf(const Member& member) {
    return *relays_[static_cast<std::size_t>(&member - members_.data())];
  }
  void TearDown() override {
    for (auto& relay : relays_) {
      if (relay) relay->Mend();
    }
    FrontendsServerTest::TearDown();
  }

 private:
  std::array<std::optional<SocketRelay>, kFrontends> relays_;
};

}  // namespace twofold::testing
