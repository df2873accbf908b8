#pragma once

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "tests/integration/durable_cluster.h"

namespace twofold::testing {

/// Two hosts with addresses of their own: the test with the frontend and one worker is the first;
/// the other worker is the second. The namespaces of both have no name and hang on processes, so
/// they go with those, however the test ends.
class TwoHostsTest : public DurableClusterTest {
 protected:
  static constexpr const char* kHere = "10.77.0.1";
  static constexpr const char* kThere = "10.77.0.2";

  // Once, before gRPC has threads: those are born into the namespace of their parent.
  static void SetUpTestSuite() {
    isolated_ = unshare(CLONE_NEWNET) == 0;
    why_not_ = std::strerror(errno);
  }

  void SetUp() override {
    if (!isolated_) GTEST_SKIP() << "needs network namespaces: " << why_not_;
    second_host_ = std::make_unique<Program>(
        "/usr/bin/unshare", Arguments{"--net", "--uts", "/bin/sh", "-c",
                                      "echo there >/proc/sys/kernel/hostname; echo born; "
                                      "exec sleep 600"});
    ASSERT_TRUE(Await([&] { return second_host_->output() == "born\n"; }));
    const std::string pid = std::to_string(second_host_->pid());
    Ip("link set lo up");
    Ip("link add here type veth peer name there");
    Ip("link set there netns " + pid);
    Ip(std::string("addr add ") + kHere + "/30 dev here");
    Ip("link set here up");
    There("/sbin/ip", {"link", "set", "lo", "up"});
    There("/sbin/ip", {"addr", "add", std::string(kThere) + "/30", "dev", "there"});
    There("/sbin/ip", {"link", "set", "there", "up"});
    worker_address_ = "0.0.0.0:0";
    StartDurable(frontend_options_);
    worker_address_.replace(0, worker_address_.rfind(':'), kHere);
  }
  void TearDown() override {
    here_.reset();
    there_.reset();
    // Both ends at once: that of a namespace that has gone stays for a while.
    if (second_host_) Ip("link del here");
    second_host_.reset();
  }

  /// One worker on each host. In the environment of all that is theirs HOST is "here" or "there",
  /// and TEST_FOLDER is `folder_`: other tests run beside this one.
  void StartWorkers(const Arguments& workload, const Arguments& options = {}) {
    here_ = std::make_unique<Program>("/usr/bin/env", Worker("here", options, workload));
    Arguments there = Worker("there", options, workload);
    there.insert(there.begin(), "/usr/bin/env");
    there_ = std::make_unique<Program>("/usr/bin/nsenter", InSecondHost(there));
    AwaitProcesses(2);
  }

  std::uint64_t SubmitGang(std::uint64_t limit_ns = 0) {
    v1::JobOptions options = Durable();
    options.mutable_gang()->set_size(2);
    options.set_limit_ns(limit_ns);
    v1::SubmitJobRequest request;
    *request.mutable_options() = options;
    v1::Job job;
    const grpc::Status status = Call(&v1::Clients::Stub::SubmitJob, request, job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job.id();
  }

  Arguments frontend_options_ = {"--grace", "0.5"};
  std::unique_ptr<Program> second_host_;
  std::unique_ptr<Program> here_;
  std::unique_ptr<Program> there_;

 private:
  Arguments Worker(const std::string& host, const Arguments& options, const Arguments& workload) {
    Arguments command = {"HOST=" + host,
                         "TEST_FOLDER=" + folder_ / "",
                         TWOFOLD_BIN "/twofold-backend",
                         "--frontend",
                         worker_address_,
                         "--queue",
                         "sleep",
                         "--backoff",
                         "0.1",
                         "--null-in"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    command.insert(command.end(), workload.begin(), workload.end());
    return command;
  }
  static void Ip(const std::string& arguments) { Run("/bin/sh", {"-c", "exec ip " + arguments}); }
  void There(const std::string& program, Arguments arguments) {
    arguments.insert(arguments.begin(), program);
    Run("/usr/bin/nsenter", InSecondHost(arguments));
  }
  static void Run(const std::string& program, const Arguments& arguments) {
    Program run(program, arguments);
    ASSERT_EQ(run.Wait(), 0) << ::testing::PrintToString(arguments) << run.output();
  }
  Arguments InSecondHost(Arguments command) const {
    const std::string spaces = "/proc/" + std::to_string(second_host_->pid()) + "/ns/";
    command.insert(command.begin(), {"--net=" + spaces + "net", "--uts=" + spaces + "uts"});
    return command;
  }

  static inline bool isolated_ = false;
  static inline std::string why_not_;
};

}  // namespace twofold::testing
