#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/http/client.h"
#include "tests/support/program.h"

namespace twofold::testing {

/// Real programs on this machine: one frontend, and the backends and clients that a test adds.
class ClusterTest : public ::testing::Test {
 protected:
  using Arguments = std::vector<std::string>;

  /// Starts the frontend; after a first time on the same addresses again.
  void StartFrontend(const Arguments& more = {"sleep"}) {
    const std::string ready = folder_ / "frontend.ready";
    std::filesystem::remove(ready);
    LaunchFrontend(more);
    const nlohmann::json addresses = AwaitReady(ready, *frontend_);
    client_address_ = addresses.value("client", "");
    worker_address_ = addresses.value("worker", "");
    http_address_ = addresses.value("http", "");
  }

  /// The same without waiting until it serves.
  void LaunchFrontend(const Arguments& more) {
    Arguments arguments = {"--client-address", client_address_,           "--worker-address",
                           worker_address_,    "--http-address",          http_address_,
                           "--ready-file",     folder_ / "frontend.ready"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    frontend_ = std::make_unique<Program>(frontend_program_, arguments);
  }

  /// A backend that stays when the queue is empty.
  std::unique_ptr<Program> StartBackend(const Arguments& workload, Arguments options = {}) {
    options.insert(options.end(), {"--backoff", "0.1", "--backoff-max", "0.5"});
    return StartBackendWith(options, workload);
  }
  std::unique_ptr<Program> StartBackendWith(const Arguments& options, const Arguments& workload) {
    Arguments arguments = {"--frontend", worker_address_, "--queue", "sleep"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("--");
    arguments.insert(arguments.end(), workload.begin(), workload.end());
    return std::make_unique<Program>("twofold-backend", arguments);
  }

  /// A load client and the address of its HTTP.
  struct Client {
    std::unique_ptr<Program> program;
    std::string url;
  };
  Client StartClient(const Arguments& options = {}) {
    const std::string ready = folder_ / ("client" + std::to_string(++clients_) + ".ready");
    Arguments arguments = {"--frontend",     client_address_, "--queue",      "sleep",
                           "--http-address", "127.0.0.1:0",   "--ready-file", ready};
    arguments.insert(arguments.end(), options.begin(), options.end());
    auto program = std::make_unique<Program>("twofold-client", arguments);
    const nlohmann::json addresses = AwaitReady(ready, *program);
    return {std::move(program), "http://" + addresses.value("http", "")};
  }

  static std::string Get(const std::string& url) {
    const auto response = http::Get(url, std::chrono::seconds(20));
    EXPECT_TRUE(response.ok()) << url << ": " << response.status();
    if (!response.ok()) return {};
    EXPECT_EQ(response->status, 200) << url << ": " << response->body;
    return response->body;
  }
  static nlohmann::json Stats(const Client& client) {
    return nlohmann::json::parse(Get(client.url + "/stats?type=json"));
  }
  static void SetParallel(const Client& client, int value) {
    const std::string text = std::to_string(value);
    EXPECT_EQ(Get(client.url + "/parallel?type=plain&value=" + text), text + "\n");
  }

  /// Series of the frontend or, with a client's URL, of that client.
  double Series(const std::string& series) { return SeriesAt("http://" + http_address_, series); }
  static double SeriesAt(const std::string& url, const std::string& series) {
    const auto value = SeriesIn(Get(url + "/metrics"), series);
    EXPECT_TRUE(value.has_value()) << series;
    return value.value_or(-1);
  }
  void AwaitSeries(const std::string& series, double value) {
    EXPECT_TRUE(Await([&] { return Series(series) == value; }))
        << series << " stays " << Series(series) << " instead of " << value;
  }
  void AwaitProcesses(int count) {
    AwaitSeries("twofold_worker_processes{queue=\"sleep\"}", count);
  }
  double Finished(const std::string& outcome) {
    return Series("twofold_jobs_finished_total{queue=\"sleep\",outcome=\"" + outcome + "\"}");
  }
  static double ClientFinished(const Client& client, const std::string& outcome) {
    return SeriesAt(client.url, "twofold_client_jobs_finished_total{queue=\"sleep\",outcome=\"" +
                                    outcome + "\"}");
  }

  /// The addresses that a program has written into its ready file.
  static nlohmann::json AwaitReady(const std::string& file, Program& program) {
    const bool ready = Await([&] { return std::filesystem::exists(file) || !program.running(); }) &&
                       std::filesystem::exists(file);
    if (!ready) {
      ADD_FAILURE() << "a program does not start; it printed:\n" << program.output();
      return nlohmann::json::object();
    }
    std::ifstream text(file);
    return nlohmann::json::parse(text);
  }

  TempDir folder_;
  std::string frontend_program_ = "twofold-frontend";
  std::unique_ptr<Program> frontend_;
  std::string client_address_ = "127.0.0.1:0";
  std::string worker_address_ = "127.0.0.1:0";
  std::string http_address_ = "127.0.0.1:0";

 private:
  int clients_ = 0;
};

}  // namespace twofold::testing
