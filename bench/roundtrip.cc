// Round trips per second: client -> frontend -> worker -> frontend -> client has the result.
//
// Starts a frontend of its own (another process, so that its CPU time can be told apart) and drives
// it from here: C client and C worker connections, K jobs outstanding in all (closed loop), each
// with a spec of P bytes that the worker sends back. Prints one row a run.

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/options.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "lib/stats/histogram.h"
#include "twofold/v1/queue.grpc.pb.h"

extern char** environ;

namespace twofold::bench {
namespace {

struct Options {
  std::string frontend = "build/dev/bin/twofold-frontend";
  int connections = 8;
  int outstanding = 1024;
  int payload = 100;
  double warm_up = 0.5;
  double seconds = 3;
  int runs = 1;
};

[[noreturn]] void Fail(const std::string& message) {
  std::cerr << "roundtrip: " << message << std::endl;
  std::exit(1);
}

double CpuSeconds(const std::string& stat_path) {
  std::ifstream file(stat_path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // state .. cmajflt
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// A frontend with one queue on free ports; ends with the object.
class FrontendProcess {
 public:
  explicit FrontendProcess(const std::string& binary) {
    const std::string ready = fmt::format(
        "{}/roundtrip.{}.ready", std::filesystem::temp_directory_path().string(), getpid());
    const std::vector<std::string> arguments = {binary,
                                                "--client-address=127.0.0.1:0",
                                                "--worker-address=127.0.0.1:0",
                                                "--http-address=127.0.0.1:0",
                                                "--ready-file=" + ready,
                                                "bench"};
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    if (posix_spawn(&pid_, binary.c_str(), nullptr, nullptr, argv.data(), environ) != 0) {
      Fail("cannot start " + binary);
    }
    AwaitReady(ready);
  }

  ~FrontendProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }

  const std::string& client_address() const { return client_address_; }
  const std::string& worker_address() const { return worker_address_; }
  double cpu_seconds() const { return CpuSeconds(fmt::format("/proc/{}/stat", pid_)); }

 private:
  void AwaitReady(const std::string& path) {
    for (int tries = 0; !std::filesystem::exists(path); ++tries) {
      if (tries > 1000 || waitpid(pid_, nullptr, WNOHANG) != 0) Fail("the frontend does not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::ifstream file(path);
    const auto json = nlohmann::json::parse(file);
    client_address_ = json.at("client");
    worker_address_ = json.at("worker");
    std::filesystem::remove(path);
  }

  pid_t pid_ = -1;
  std::string client_address_;
  std::string worker_address_;
};

/// A worker process's stream that sends every spec back as the report.
class EchoWorker {
 public:
  EchoWorker(const std::string& address, std::uint64_t key, int slots)
      : stub_(v1::Workers::NewStub(rpc::Connect(address))) {
    stream_ =
        std::make_shared<Stream>([this](const v1::FrontendMessage& message) { OnMessage(message); },
                                 [](const grpc::Status&) {});
    stub_->async()->Work(stream_->context(), stream_.get());
    stream_->Start();
    stream_->Add([&](v1::WorkerMessage& message) {
      v1::Hello& hello = *message.mutable_hello();
      hello.set_queue("bench");
      hello.set_process_key(key);
      hello.set_node("bench");
      hello.set_pod(fmt::format("worker-{}", key));
      hello.set_slots(static_cast<std::uint32_t>(slots));
      return std::size_t{64};
    });
    stream_->Flush();
  }

 private:
  using Stream = rpc::ClientStream<v1::WorkerMessage, v1::FrontendMessage>;

  void OnMessage(const v1::FrontendMessage& message) {
    if (!message.has_assigns()) return;
    stream_->Add([&](v1::WorkerMessage& reply) {
      std::size_t bytes = 0;
      rpc::ForEach(message.assigns(), [&](const rpc::AssignRow& row) {
        bytes += rpc::Append(*reply.mutable_results(), {.job = row.job,
                                                        .attempt = row.attempt,
                                                        .run_ns = 1,
                                                        .device = {},
                                                        .report = row.spec});
      });
      return bytes;
    });
    stream_->Flush();
  }

  std::unique_ptr<v1::Workers::Stub> stub_;
  std::shared_ptr<Stream> stream_;
};

/// A client stream that keeps its share of the jobs outstanding.
class ClosedLoop {
 public:
  ClosedLoop(const std::string& address, int outstanding, int payload)
      : stub_(v1::Clients::NewStub(rpc::Connect(address))),
        spec_(static_cast<std::size_t>(payload), 'x'),
        submitted_(static_cast<std::size_t>(outstanding)) {
    stream_ = std::make_shared<Stream>([this](const v1::SubmitReply& reply) { OnReply(reply); },
                                       [](const grpc::Status&) {});
    stub_->async()->Submit(stream_->context(), stream_.get());
    stream_->Start();
    std::vector<std::uint64_t> all(submitted_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Submit(all, Now());
  }

  /// Starts a new measurement; what was measured until now comes back.
  stats::Histogram Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(times_, {});
  }

 private:
  using Stream = rpc::ClientStream<v1::SubmitRequest, v1::SubmitReply>;

  void OnReply(const v1::SubmitReply& reply) {
    const Instant now = Now();
    done_.clear();
    {
      const std::lock_guard lock(mutex_);
      rpc::ForEach(reply.results(), [&](const rpc::ResultRow& row) {
        if (row.outcome != v1::OUTCOME_SUCCEEDED) Fail("a job did not succeed");
        if (row.report.size() != spec_.size()) Fail("a job came back with another payload");
        times_.Record(now - submitted_[row.tag]);
        done_.push_back(row.tag);
      });
    }
    Submit(done_, now);
  }

  void Submit(const std::vector<std::uint64_t>& tags, Instant now) {
    stream_->Add([&](v1::SubmitRequest& request) {
      if (request.options().empty()) request.add_options()->set_queue("bench");
      std::size_t bytes = 0;
      for (const std::uint64_t tag : tags) {
        submitted_[tag] = now;
        bytes += rpc::Append(request, {.tag = tag, .option = 0, .spec = spec_});
      }
      return bytes;
    });
    stream_->Flush();
  }

  std::unique_ptr<v1::Clients::Stub> stub_;
  std::shared_ptr<Stream> stream_;
  const std::string spec_;
  std::vector<Instant> submitted_;  ///< by tag
  std::vector<std::uint64_t> done_;
  std::mutex mutex_;
  stats::Histogram times_;
};

double OwnCpuSeconds() { return CpuSeconds("/proc/self/stat"); }

void Sleep(double seconds) { std::this_thread::sleep_for(FromSeconds(seconds)); }

void Run(const Options& options) {
  const FrontendProcess frontend(options.frontend);
  std::vector<std::unique_ptr<EchoWorker>> workers;
  std::vector<std::unique_ptr<ClosedLoop>> clients;
  for (int i = 0; i < options.connections; ++i) {
    workers.push_back(std::make_unique<EchoWorker>(
        frontend.worker_address(), static_cast<std::uint64_t>(i + 1), options.outstanding));
  }
  for (int i = 0; i < options.connections; ++i) {
    const int share = options.outstanding / options.connections +
                      (i < options.outstanding % options.connections ? 1 : 0);
    if (share == 0) continue;
    clients.push_back(
        std::make_unique<ClosedLoop>(frontend.client_address(), share, options.payload));
  }
  Sleep(options.warm_up);
  for (const auto& client : clients) client->Take();
  const Instant start = Now();
  const double frontend_before = frontend.cpu_seconds();
  const double own_before = OwnCpuSeconds();
  Sleep(options.seconds);
  stats::Histogram times;
  for (const auto& client : clients) times.Merge(client->Take());
  const double seconds = ToSeconds(Now() - start);
  const double million = static_cast<double>(times.Count()) / 1e6;
  if (times.Count() == 0) Fail("no job came back");
  const auto micros = [&](double q) { return ToSeconds(*times.Quantile(q)) * 1e6; };
  fmt::print("{:>2}+{:<2} {:>6} {:>6} {:>10.0f} {:>9.0f} {:>9.0f} {:>14.2f} {:>15.2f}\n",
             options.connections, options.connections, options.outstanding, options.payload,
             static_cast<double>(times.Count()) / seconds, micros(0.5), micros(0.99),
             (frontend.cpu_seconds() - frontend_before) / million,
             (OwnCpuSeconds() - own_before) / million);
  std::fflush(stdout);
  // The streams' callbacks refer to the objects above; the process ends here anyway.
  for (auto& client : clients) static_cast<void>(client.release());
  for (auto& worker : workers) static_cast<void>(worker.release());
}

}  // namespace
}  // namespace twofold::bench

int main(int argc, char** argv) {
  using namespace twofold;
  bench::Options options;
  CLI::App app{"Round trips per second through a frontend, on this machine.", "roundtrip"};
  app.add_option("--frontend", options.frontend, "the program to measure")->capture_default_str();
  app.add_option("--connections", options.connections, "client, and worker, connections")
      ->check(WholeNumber(1, 10'000))
      ->capture_default_str();
  app.add_option("--outstanding", options.outstanding, "jobs in flight in all")
      ->check(WholeNumber(1, 100'000))
      ->capture_default_str();
  app.add_option("--payload", options.payload, "bytes of each spec, sent back as the report")
      ->check(WholeNumber(0, 256 << 10))
      ->capture_default_str();
  app.add_option("--warm-up", options.warm_up, "seconds that do not count")
      ->check(Seconds(0, 600))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "how long a run takes")
      ->check(Seconds(0.1, 600))
      ->capture_default_str();
  app.add_option("--runs", options.runs)->check(WholeNumber(1, 1000))->capture_default_str();
  if (const auto code = ParseCommandLine(app, argc, argv)) return *code;
  setenv("GRPC_VERBOSITY", "NONE", 0);
  fmt::print("conns  out'g  bytes     jobs/s    p50 us    p99 us frontend s/1M  generator s/1M\n");
  for (int run = 0; run < options.runs; ++run) bench::Run(options);
  std::fflush(stdout);
  std::_Exit(0);
}
