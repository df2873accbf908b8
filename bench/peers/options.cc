#include "bench/peers/options.h"

#include <algorithm>
#include <functional>

#include "bench/peers/payload.h"
#include "lib/common/options.h"

namespace twofold::bench {
namespace {

constexpr const char* kExamples = R"(Examples:
  bench_peers list
  bench_peers check --peers redis,nats,twofold
  bench_peers series --peers redis,twofold --shapes 8:1024 --passes 3 --seconds 1.5
  bench_peers series --tests open-loop --rate 10000 --run-time 0.01
  bench_peers series --tests enqueue,idle --passes 1
  bench_peers report build/peers/runs.csv --output build/peers
Servers are started on free ports of 127.0.0.1 with temporary data, one at a time, and ended.)";

constexpr int kSmallestPayload = 16;
static_assert(kSmallestPayload >= static_cast<int>(kPayloadHeadBytes));
constexpr int kLargestPayload = 256 << 10;

// A list of things, each read by `parse`: what CLI11 cannot convert by itself.
template <typename T>
CLI::Option* AddList(CLI::App& app, const std::string& name, std::vector<T>& values,
                     Result<T> (*parse)(std::string_view), const std::string& description) {
  const auto read = [&values, parse, name](const std::vector<std::string>& texts) {
    values.clear();
    for (const std::string& text : texts) {
      Result<T> value = parse(text);
      if (!value.ok()) throw CLI::ValidationError(name, std::string(value.status().message()));
      values.push_back(*std::move(value));
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, read, description)->delimiter(',');
}

CLI::App& AddCommand(CLI::App& app, Options& options, Command command, const std::string& name,
                     const std::string& description) {
  CLI::App* added = app.add_subcommand(name, description);
  added->callback([&options, command] { options.command = command; });
  return *added;
}

void AddPeers(CLI::App& app, Options& options) {
  app.add_option("--peers", options.peers, "only these (see list)")->delimiter(',');
  app.add_option("--frontend", options.frontend, "the twofold-frontend to measure")
      ->default_str("beside bench_peers");
}

void AddOutput(CLI::App& app, Options& options) {
  app.add_option("--output", options.output, "folder of table.md, chart.csv and runs.csv")
      ->capture_default_str();
}

void AddTests(CLI::App& app, SeriesPlan& plan) {
  AddList<TestKind>(app, "--tests", plan.tests, ParseTest,
                    "round-trips, open-loop, enqueue, idle [round-trips]");
  AddList<Shape>(app, "--shapes", plan.shapes, ParseShape,
                 "connections:outstanding of the round trips [1:1,1:64,1:1024,8:64,8:1024]");
  app.add_option("--payloads", plan.payloads,
                 "bytes of a job and of its result; all but the first with the last shape only")
      ->delimiter(',')
      ->check(WholeNumber(kSmallestPayload, kLargestPayload))
      ->capture_default_str();
  app.add_option("--takes", plan.takes, "jobs that a worker asks for at a time, if it asks")
      ->delimiter(',')
      ->check(WholeNumber(1, 10'000))
      ->capture_default_str();
}

void AddSizes(CLI::App& app, SeriesPlan& plan) {
  app.add_option("--connections", plan.connections, "open loop: clients, and workers")
      ->check(WholeNumber(1, 1'000))
      ->capture_default_str();
  app.add_option("--rate", plan.rate, "open loop: jobs/s")
      ->check(CLI::Range(1.0, 1e7))
      ->capture_default_str();
  app.add_option("--run-time", plan.run_seconds, "open loop: mean run time, seconds")
      ->check(Seconds(0, 60))
      ->capture_default_str();
  app.add_option("--jobs", plan.jobs, "enqueue: jobs")
      ->check(WholeNumber(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--workers", plan.workers, "idle: workers")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--slots", plan.slots, "idle: workers a connection, where a peer has that")
      ->check(WholeNumber(1, 100'000))
      ->capture_default_str();
}

void AddTimes(CLI::App& app, Options& options) {
  app.add_option("--warm-up", options.warm_up, "seconds that do not count")
      ->check(Seconds(0, 600))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "how long a run takes")
      ->check(Seconds(0.1, 600))
      ->capture_default_str();
  app.add_option("--settle", options.settle, "seconds before memory is read")
      ->check(Seconds(0, 600))
      ->capture_default_str();
  app.add_option("--idle", options.idle, "seconds that idle workers are watched")
      ->check(Seconds(0.1, 600))
      ->capture_default_str();
}

void AddRepeats(CLI::App& app, Options& options) {
  app.add_option("--passes", options.passes, "times that all is measured, in turn")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--quiet", options.quiet, "CPUs that others may keep busy, else a run is repeated")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--repeats", options.repeats, "such repeats at most; the quietest counts")
      ->check(WholeNumber(0, 100))
      ->capture_default_str();
}

void AddInternal(CLI::App& app, Options& options) {
  CLI::App& measure = AddCommand(app, options, Command::kMeasure, "measure", "one cell, one run");
  measure.group("");  // not for people
  measure.add_option("cell", options.cell)->required();
  measure.add_option("--ports", options.ports)->delimiter(',')->required();
  measure.add_option("--server", options.server)->required();
  measure.add_option("--directory", options.directory)->required();
  AddTimes(measure, options);
  CLI::App& serve = AddCommand(app, options, Command::kServe, "serve", "one of our relays");
  serve.group("");
  serve.add_option("relay", options.relay)
      ->required()
      ->check(CLI::IsMember({"tcp-relay", "grpc-relay"}));
  serve.add_option("port", options.ports)->required()->expected(1);
}

}  // namespace

void Declare(CLI::App& app, Options& options) {
  app.footer(kExamples);
  app.require_subcommand(1);
  options.plan.shapes = {{1, 1}, {1, 64}, {1, 1024}, {8, 64}, {8, 1024}};

  CLI::App& series = AddCommand(app, options, Command::kSeries, "series",
                                "measure all peers in turn; runs are added to OUTPUT/runs.csv");
  AddPeers(series, options);
  AddTests(series, options.plan);
  AddSizes(series, options.plan);
  AddTimes(series, options);
  AddRepeats(series, options);
  AddOutput(series, options);

  CLI::App& check = AddCommand(app, options, Command::kCheck, "check",
                               "each peer for a moment: does every job come back, once?");
  AddPeers(check, options);

  CLI::App& report =
      AddCommand(app, options, Command::kReport, "report", "make the tables of a series again");
  report.add_option("runs", options.runs, "runs.csv of a series")->required();
  AddOutput(report, options);

  AddCommand(app, options, Command::kList, "list", "peers, and whether they are installed");
  AddInternal(app, options);
}

SeriesPlan CheckPlan() {
  return {
      .tests = {TestKind::kRoundTrips, TestKind::kOpenLoop, TestKind::kEnqueue, TestKind::kIdle},
      .shapes = {{1, 1}, {2, 64}},
      .payloads = {100, 16'384},
      .takes = {16},
      .connections = 2,
      .rate = 500,
      .run_seconds = 0.005,
      .jobs = 2'000,
      .workers = 20,
      .slots = 1};
}

}  // namespace twofold::bench
