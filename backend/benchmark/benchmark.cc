#include "backend/benchmark/benchmark.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <utility>

#include "backend/benchmark/work_folder.h"

namespace twofold::backend {

Benchmark::Benchmark(boost::asio::io_context& io, process::Reaper& reaper, Offers offers,
                     BenchmarkOptions options)
    : io_(io),
      reaper_(reaper),
      offers_(std::move(offers)),
      options_(std::move(options)),
      versions_(io, reaper),
      machine_(options_.host, getpid()) {
  const std::size_t removed = RemoveLeftWorkFolders(options_.work_dir);
  if (removed > 0) spdlog::info("{} work folders of a worker that is gone are removed", removed);
}

Benchmark::~Benchmark() {
  for (const auto& [slot, run] : runs_) run->Abandon();
}

std::vector<std::string> Benchmark::suites() const {
  std::vector<std::string> names;
  for (const suite::Suite* suite : offers_.suites) names.emplace_back(suite->name);
  return names;
}

const suite::Suite& Benchmark::SuiteOf(const Job& job) const {
  for (const suite::Suite* suite : offers_.suites) {
    if (suite->name == job.suite) return *suite;
  }
  return *offers_.suites.front();
}

void Benchmark::Start(Slot slot, Instant now, const Job& job) {
  auto run = std::make_shared<RankRun>(
      BenchmarkParts{io_, reaper_, versions_, machine_, SuiteOf(job), options_}, now, job,
      RankRun::Events{
          .ready = [this, slot] { Ready(slot); },
          .ended =
              [this, slot](Instant at, RunEnd end) {
                runs_.erase(slot);
                Ended(slot, at, std::move(end));
              },
          .progress = [this,
                       slot](process::ProgressLine line) { Progressed(slot, std::move(line)); },
          .printed = [this, slot](std::string_view bytes) { Printed(slot, bytes); }});
  runs_[slot] = run;
  run->Start(job);
}

void Benchmark::Go(Slot slot, Instant /*now*/) { runs_.at(slot)->Go(); }

void Benchmark::Follow(Slot slot, bool on) { runs_.at(slot)->Follow(on); }

void Benchmark::Stop(Slot slot) {
  const auto found = runs_.find(slot);
  if (found != runs_.end()) found->second->Stop();
}

}  // namespace twofold::backend
