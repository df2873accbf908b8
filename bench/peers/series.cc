#include "bench/peers/series.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>

#include "bench/peers/csv.h"
#include "bench/peers/peer_table.h"
#include "bench/peers/report.h"
#include "bench/peers/text.h"

namespace twofold::bench {
namespace {

namespace fs = std::filesystem;

/// Does with each run what the subcommand wants.
using Sink = std::function<Status(const Run&)>;

std::string Describe(const Cell& cell) {
  switch (cell.test) {
    case TestKind::kRoundTrips:
      return fmt::format("{}+{} {} outstanding, {} bytes, takes {}", cell.connections,
                         cell.connections, cell.outstanding, cell.payload, cell.take);
    case TestKind::kOpenLoop:
      return fmt::format("{}+{} open loop {:.0f}/s, {:g} ms, takes {}", cell.connections,
                         cell.connections, cell.rate, cell.run_seconds * 1e3, cell.take);
    case TestKind::kEnqueue:
      return fmt::format("enqueue {}", cell.count);
    case TestKind::kIdle:
      return fmt::format("idle {} workers, {} a connection", cell.count, cell.slots);
  }
  return {};
}

std::string Describe(const Figures& figures) {
  std::string text;
  VisitFigures(figures, [&](std::string_view name, double value) {
    if (value == value) text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, value);
  });
  return text;
}

Result<std::vector<const PeerRow*>> Choose(const std::vector<std::string>& names) {
  std::vector<const PeerRow*> chosen;
  for (const PeerRow& peer : Peers()) {
    if (names.empty()) chosen.push_back(&peer);
  }
  for (const std::string& name : names) {
    chosen.push_back(FindPeer(name));
    if (chosen.back() == nullptr) return absl::NotFoundError("there is no peer " + name);
  }
  return chosen;
}

/// Measures cells in processes of their own.
class Driver {
 public:
  Driver(const Options& options, const Programs& programs, Sink sink)
      : options_(options), programs_(programs), sink_(std::move(sink)) {}

  Status Drive(const std::vector<const PeerRow*>& peers, const SeriesPlan& plan) {
    for (pass_ = 1; pass_ <= options_.passes; ++pass_) {
      for (const PeerRow* peer : peers) {
        if (Status status = RunPeer(*peer, PlanCells(plan, peer->traits)); !status.ok()) {
          return status;
        }
      }
    }
    if (failed_ == 0) return absl::OkStatus();
    return absl::FailedPreconditionError(fmt::format("{} failed", failed_));
  }

 private:
  // Whether it needs a server whose memory nobody has used before.
  static bool NeedsFreshServer(const Cell& cell) {
    return cell.test == TestKind::kEnqueue || cell.test == TestKind::kIdle;
  }

  Status RunPeer(const PeerRow& peer, const std::vector<Cell>& cells) {
    const ServerRow& row = *FindServer(peer.server);
    if (!IsInstalled(row, programs_)) {
      if (pass_ == 1) fmt::print(stderr, "{}: not installed, left out\n", peer.traits.name);
      return absl::OkStatus();
    }
    std::unique_ptr<Server> server;
    for (const Cell& cell : cells) {
      if (!server || NeedsFreshServer(cell)) {
        server.reset();  // the old one ends before the new one starts
        Result<std::unique_ptr<Server>> started = Server::Start(row, programs_);
        if (absl::IsCancelled(started.status())) return started.status();
        if (!started.ok()) {
          Report(cell, started.status());
          return absl::OkStatus();
        }
        server = *std::move(started);
      }
      if (Status status = RunCell(*server, cell); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  Status RunCell(const Server& server, const Cell& cell) {
    Result<Figures> best = RunOnce(server, cell);
    for (int i = 0; i < options_.repeats && best.ok() && best->foreign_cpus > options_.quiet; ++i) {
      const Result<Figures> again = RunOnce(server, cell);
      if (again.ok() && again->foreign_cpus < best->foreign_cpus) best = again;
    }
    if (absl::IsCancelled(best.status())) return best.status();
    Report(cell, best.status(), best.ok() ? Describe(*best) : "");
    if (!best.ok()) return absl::OkStatus();
    return sink_({.pass = pass_, .cell = cell, .figures = *best});
  }

  void Report(const Cell& cell, const Status& status, const std::string& figures = {}) {
    fmt::print(stderr, "{}/{} {} {}: {}\n", pass_, options_.passes, cell.peer, Describe(cell),
               status.ok() ? figures : "FAILED: " + Message(status));
    if (!status.ok()) ++failed_;
  }

  Result<Figures> RunOnce(const Server& server, const Cell& cell) {
    const TemporaryDirectory directory;
    const fs::path output = directory.path() / "output";
    const fs::path errors = directory.path() / "errors";
    Result<Child> child = Child::Start(MeasureWords(server, cell), {}, output, errors);
    if (!child.ok()) return child.status();
    const Result<int> code = child->Wait(Limit(cell));
    if (!code.ok()) return code.status();
    if (*code != 0) return absl::UnavailableError(LastLine(errors));
    const Result<Run> run = ParseCsv(LastLine(output));
    if (!run.ok()) return run.status();
    return run->figures;
  }

  [[nodiscard]] std::vector<std::string> MeasureWords(const Server& server,
                                                      const Cell& cell) const {
    return {programs_.bench,
            "measure",
            ToCsv({.pass = pass_, .cell = cell, .figures = {}}),
            "--ports=" + fmt::format("{}", fmt::join(server.target().ports, ",")),
            fmt::format("--server={}", server.pid()),
            "--directory=" + server.target().directory,
            fmt::format("--warm-up={}", options_.warm_up),
            fmt::format("--seconds={}", options_.seconds),
            fmt::format("--settle={}", options_.settle),
            fmt::format("--idle={}", options_.idle)};
  }

  // Long enough for the slowest peer on a busy machine: 3 000 jobs/s on disk, 100 connections/s.
  [[nodiscard]] Duration Limit(const Cell& cell) const {
    return FromSeconds(60 + options_.warm_up + options_.seconds + options_.idle +
                       cell.count / (cell.test == TestKind::kEnqueue ? 3'000.0 : 100.0));
  }

  const Options& options_;
  const Programs& programs_;
  const Sink sink_;
  int pass_ = 0;
  int failed_ = 0;
};

Result<std::string> ReadFile(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(fmt::format("cannot read {}", path.string()));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Status WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) return absl::UnavailableError(fmt::format("cannot write {}", path.string()));
  return absl::OkStatus();
}

// Opens runs.csv to add to it: a series may be made of several commands.
Result<std::ofstream> OpenRuns(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const bool is_new = !fs::exists(path);
  std::ofstream file(path, std::ios::app);
  if (is_new) file << CsvHeader() << '\n' << std::flush;
  if (!file) return absl::UnavailableError(fmt::format("cannot write {}", path.string()));
  return file;
}

}  // namespace

Status RunSeries(const Options& options, const Programs& programs) {
  const Result<std::vector<const PeerRow*>> peers = Choose(options.peers);
  if (!peers.ok()) return peers.status();
  const fs::path runs = fs::path(options.output) / "runs.csv";
  Result<std::ofstream> file = OpenRuns(runs);
  if (!file.ok()) return file.status();
  Driver driver(options, programs, [&](const Run& run) {
    *file << ToCsv(run) << '\n' << std::flush;
    return file->good() ? absl::OkStatus() : absl::UnavailableError("cannot write runs.csv");
  });
  const Status measured = driver.Drive(*peers, options.plan);
  if (absl::IsCancelled(measured)) return measured;
  const Status reported = WriteReport(runs, options.output);
  return reported.ok() ? measured : reported;
}

Status RunCheck(const Options& options, const Programs& programs) {
  const Result<std::vector<const PeerRow*>> peers = Choose(options.peers);
  if (!peers.ok()) return peers.status();
  Options quick = options;
  quick.passes = 1;
  quick.repeats = 0;
  quick.warm_up = 0.1;
  quick.seconds = 0.3;
  quick.settle = 0;
  quick.idle = 0.1;
  Driver driver(quick, programs, [](const Run&) { return absl::OkStatus(); });
  return driver.Drive(*peers, CheckPlan());
}

Status WriteReport(const std::string& runs, const std::string& output) {
  const Result<std::string> text = ReadFile(runs);
  if (!text.ok()) return text.status();
  const Result<std::vector<Run>> parsed = ParseCsvFile(*text);
  if (!parsed.ok())
    return Status(parsed.status().code(), fmt::format("{}: {}", runs, Message(parsed.status())));
  const std::vector<Summary> summaries = Summarize(*parsed);
  std::error_code error;
  fs::create_directories(output, error);
  const std::string table = ToMarkdown(summaries);
  fmt::print("{}", table);
  Status status = WriteFile(fs::path(output) / "table.md", table);
  status.Update(WriteFile(fs::path(output) / "chart.csv", ToChartCsv(summaries)));
  return status;
}

void PrintPeers(const Programs& programs) {
  for (const PeerRow& peer : Peers()) {
    const bool there = IsInstalled(*FindServer(peer.server), programs);
    fmt::print("{:18} {:13} {}\n", peer.traits.name, there ? "" : "not installed", peer.about);
  }
}

}  // namespace twofold::bench
