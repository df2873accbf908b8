#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "backend/benchmark/offers.h"
#include "backend/benchmark/options.h"
#include "backend/benchmark/rank_run.h"
#include "backend/benchmark/tool_versions.h"
#include "backend/workload/workload.h"
#include "lib/process/machine_use.h"
#include "lib/process/reaper.h"
#include "lib/suite/suite.h"

namespace twofold::backend {

/// Suites of the table (suites/table) as a workload: a job is a spec of one of them, its
/// result a v1::BenchmarkResult in Report.data.
class Benchmark final : public Workload {
 public:
  /// Removes what a worker that was killed has left in the work folder.
  /// REQUIRES: at least one suite; they, `reaper` and `options.peers` live as long as this.
  Benchmark(boost::asio::io_context& io, process::Reaper& reaper, Offers offers,
            BenchmarkOptions options);
  ~Benchmark() override;

  [[nodiscard]] std::vector<std::string> suites() const override;
  [[nodiscard]] suite::Labels labels() const override { return offers_.labels; }
  void Start(Slot slot, Instant now, const Job& job) override;
  void Go(Slot slot, Instant now) override;
  void Follow(Slot slot, bool on) override;
  void Stop(Slot slot) override;

 private:
  [[nodiscard]] const suite::Suite& SuiteOf(const Job& job) const;

  boost::asio::io_context& io_;
  process::Reaper& reaper_;
  const Offers offers_;
  const BenchmarkOptions options_;
  ToolVersions versions_;
  process::MachineReader machine_;
  absl::flat_hash_map<Slot, std::shared_ptr<RankRun>> runs_;
};

}  // namespace twofold::backend
