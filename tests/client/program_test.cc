#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lib/http/client.h"
#include "lib/http/server.h"
#include "tests/fakes/fake_frontend.h"

namespace twofold::client {
namespace {

using ::testing::HasSubstr;
using twofold::testing::Await;
using twofold::testing::TempDir;

class Client : public twofold::testing::Program {
 public:
  explicit Client(std::vector<std::string> arguments)
      : Program("twofold-client", std::move(arguments)) {}
};

std::string Get(const std::string& http, const std::string& target) {
  const auto response = http::Get("http://" + http + target, std::chrono::seconds(10));
  return response.ok() ? response->body : response.status().ToString();
}

TEST(ClientProgram, ServesBeforeThereIsAFrontendThenLoadsIt) {
  auto frontend = std::make_unique<fakes::FakeFrontend>(fakes::Succeed());
  const int port = frontend->port();
  const std::string address = frontend->address();
  frontend.reset();
  const TempDir folder;
  const std::string ready = folder / "ready";
  Client client({"--queue", "sleep", "--frontend", address, "--parallel", "4", "--http-address",
                 "127.0.0.1:0", "--ready-file", ready, "--", "0.1"});
  ASSERT_TRUE(Await([&ready] { return std::filesystem::exists(ready); }));
  std::ifstream file(ready);
  const std::string http = nlohmann::json::parse(file)["http"];
  EXPECT_EQ(Get(http, "/healthz"), "ok\n");
  EXPECT_THAT(Get(http, "/stats?type=plain"), HasSubstr("connecting"));

  frontend = std::make_unique<fakes::FakeFrontend>(fakes::Hold(), port);
  ASSERT_TRUE(frontend->Await([](std::uint64_t, std::size_t held) { return held == 4; }));
  // Pages asked for shortly after one another share one look, so this may take a second one.
  EXPECT_TRUE(Await([&http] {
    return Get(http, "/stats?type=plain").find("pending        4\n") != std::string::npos;
  }));
  EXPECT_EQ(Get(http, "/parallel?value=0&type=plain"), "0\n");
  frontend->Release();
  client.Signal(SIGTERM);
  EXPECT_EQ(client.Wait(), 0) << client.output();
}

TEST(ClientProgram, WhoeverAsksItToEndItsExitCodeIs0) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TempDir folder;
    const std::string ready = folder / "ready";
    Client client({"--queue", "sleep", "--http-address", "127.0.0.1:0", "--ready-file", ready});
    ASSERT_TRUE(Await([&ready] { return std::filesystem::exists(ready); }));
    client.Signal(signal);
    EXPECT_EQ(client.Wait(), 0) << signal << ": " << client.output();
  }
}

TEST(ClientProgram, APortInUseIsOneLineAndExitCode2) {
  const auto taken = http::Server::Start(
      {"127.0.0.1", 0}, [](const http::Request&) { return http::PlainText(200, ""); });
  ASSERT_TRUE(taken.ok());
  const std::string address = "127.0.0.1:" + std::to_string((*taken)->port());
  Client client({"--queue", "sleep", "--http-address", address});
  EXPECT_EQ(client.Wait(), 2);
  const std::string output = client.output();
  EXPECT_THAT(output, HasSubstr("--http-address"));
  EXPECT_THAT(output, HasSubstr(address));
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
}

TEST(ClientProgram, CheckConfigTellsGoodFromBad) {
  EXPECT_EQ(Client({"--queue", "sleep", "--check-config"}).Wait(), 0);
  EXPECT_EQ(Client({"--queue", "sleep", "--limit", "-1", "--check-config"}).Wait(), 2);
}

}  // namespace
}  // namespace twofold::client
