#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/http/client.h"
#include "lib/http/server.h"
#include "tests/fakes/fake_frontend.h"

namespace twofold::client {
namespace {

using ::testing::HasSubstr;

/// A real twofold-client; killed with the object.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TWOFOLD_CLIENT);
    std::array<int, 2> pipe_ends{};
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(pipe_ends[1], STDERR_FILENO);
      close(pipe_ends[0]);
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      execv(TWOFOLD_CLIENT, argv.data());
      _exit(127);
    }
    close(pipe_ends[1]);
    stderr_ = pipe_ends[0];
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ > 0) Kill(SIGKILL), Wait();
    close(stderr_);
  }

  void Kill(int number) const { kill(pid_, number); }

  /// Its exit code, or minus the signal that ended it.
  int Wait() {
    std::array<char, 4096> bytes;
    for (ssize_t got = 0; (got = read(stderr_, bytes.data(), bytes.size())) > 0;) {
      error_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  pid_t pid_ = -1;
  int stderr_ = -1;
  std::string error_;
};

/// A file in a folder of its own.
class TempFile {
 public:
  TempFile() {
    std::string folder = testing::TempDir() + "clientXXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~TempFile() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ + "/ready"; }

 private:
  std::string folder_;
};

std::string AwaitHttp(const std::string& ready_file) {
  for (int i = 0; i < 2000; ++i) {
    std::ifstream file(ready_file);
    if (file) return nlohmann::json::parse(file)["http"];
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // between looks
  }
  return {};
}

std::string Get(const std::string& http, const std::string& target) {
  const auto response = http::Get("http://" + http + target, std::chrono::seconds(10));
  return response.ok() ? response->body : response.status().ToString();
}

TEST(Program, ServesBeforeThereIsAFrontendThenLoadsIt) {
  auto frontend = std::make_unique<fakes::FakeFrontend>(fakes::Succeed());
  const int port = frontend->port();
  const std::string address = frontend->address();
  frontend.reset();
  const TempFile ready;
  Program client({"--queue", "sleep", "--frontend", address, "--parallel", "4", "--http-address",
                  "127.0.0.1:0", "--ready-file", ready.path(), "--", "0.1"});
  const std::string http = AwaitHttp(ready.path());
  EXPECT_EQ(Get(http, "/healthz"), "ok\n");
  EXPECT_THAT(Get(http, "/stats?type=plain"), HasSubstr("connecting"));

  frontend = std::make_unique<fakes::FakeFrontend>(fakes::Hold(), port);
  ASSERT_TRUE(frontend->Await([](std::uint64_t, std::size_t held) { return held == 4; }));
  EXPECT_THAT(Get(http, "/stats?type=plain"), HasSubstr("pending        4\n"));
  EXPECT_EQ(Get(http, "/parallel?value=0&type=plain"), "0");
  frontend->Release();
  client.Kill(SIGTERM);
  EXPECT_EQ(client.Wait(), 0) << client.error();
}

TEST(Program, APortInUseIsOneLineAndExitCode2) {
  const auto taken = http::Server::Start(
      {"127.0.0.1", 0}, [](const http::Request&) { return http::PlainText(200, ""); });
  ASSERT_TRUE(taken.ok());
  const std::string address = "127.0.0.1:" + std::to_string((*taken)->port());
  Program client({"--queue", "sleep", "--http-address", address});
  EXPECT_EQ(client.Wait(), 2);
  EXPECT_THAT(client.error(), HasSubstr("--http-address"));
  EXPECT_THAT(client.error(), HasSubstr(address));
  EXPECT_EQ(std::count(client.error().begin(), client.error().end(), '\n'), 1) << client.error();
}

TEST(Program, CheckConfigTellsGoodFromBad) {
  EXPECT_EQ(Program({"--queue", "sleep", "--check-config"}).Wait(), 0);
  EXPECT_EQ(Program({"--queue", "sleep", "--limit", "-1", "--check-config"}).Wait(), 2);
}

}  // namespace
}  // namespace twofold::client
