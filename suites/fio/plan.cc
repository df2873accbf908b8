#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

using Spec = v1::suites::FioSpec;

// Engines that read and write the files laid out and nothing else. fio has others: a path is a
// library to load, `exec` runs programs, `sg` and `http` go elsewhere.
constexpr std::string_view kEngines[] = {"libaio", "io_uring", "psync",   "sync",
                                         "vsync",  "pvsync",   "pvsync2", "posixaio",
                                         "mmap",   "splice",   "libpmem", "null"};
Status CheckTexts(const Spec& spec) {
  if (spec.ioengine().empty()) return Wrong("ioengine", "empty: leave it out, or name one");
  Status status = CheckPlain("ioengine", spec.ioengine());
  if (!status.ok() || spec.directory().empty()) return status;
  return CheckPathInFile("directory", spec.directory());
}

// On a shared volume the workers' files must not meet, nor those of an attempt before.
std::string Folder(const Spec& spec, const Gang& gang, std::size_t rank) {
  const std::string parent = spec.directory().empty() ? "" : spec.directory() + "/";
  return absl::StrCat(parent, "twofold-", gang.name, "-", rank);
}

std::string JobFile(const Spec& spec, const std::string& folder) {
  std::string text = "[global]\n";
  const auto line = [&text](const char* name, const auto& value) {
    absl::StrAppend(&text, name, "=", value, "\n");
  };
  line("directory", folder);
  line("direct", spec.direct());
  line("iodepth", spec.iodepth());
  line("ioengine", spec.ioengine());
  line("nrfiles", spec.nrfiles());
  line("numjobs", spec.num_jobs());
  line("bs", spec.bs());
  line("rw", spec.rw());
  line("percentage_random", spec.percentage_random());
  line("rwmixread", spec.rwmixread());
  line("size", spec.size());
  line("runtime", spec.runtime());
  if (!spec.ramp_time().empty()) line("ramp_time", spec.ramp_time());
  if (spec.thread()) text += "thread\n";
  // One entry a worker with percentiles of all its jobs, which fio can merge exactly.
  text += "time_based\ngroup_reporting\n";
  // Percentiles of the whole latency, whose mean they then go with.
  text += "lat_percentiles=1\nclat_percentiles=0\n[worker]\n";
  return text;
}

// Each job lays out files of its own.
std::uint64_t DiskBytes(const Spec& spec) {
  constexpr double kMost = 1e18;
  return static_cast<std::uint64_t>(
      std::min(kMost, OptionBytes(spec.size()).value_or(0) * spec.num_jobs()));
}

RankPlan PlanOf(const Spec& spec, const Gang& gang, std::size_t rank) {
  RankPlan plan;
  const std::string folder = Folder(spec, gang, rank);
  plan.folders = {folder};
  plan.disk_bytes = DiskBytes(spec);
  plan.files = {{"job.fio", JobFile(spec, folder)}};
  const std::vector<std::string> fio = {"fio", "--output-format=json"};
  // Files are laid out before the barrier: writing 10 GB is not to delay one worker's start.
  plan.stages.push_back({.name = "layout", .phase = Phase::kPrepare, .argv = fio});
  plan.stages.back().argv.insert(plan.stages.back().argv.end(), {"--create_only=1", "job.fio"});
  plan.stages.push_back({.name = "fio", .argv = fio});
  plan.stages.back().argv.emplace_back("job.fio");
  return plan;
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json, CheckTexts); }

GangPlan Plan(const Spec& spec, const Gang& gang) {
  GangPlan plan;
  // fio's own end differs between workers by what is in flight; each has its result.
  plan.ending = Ending::kEveryRank;
  for (std::size_t rank = 0; rank < gang.members.size(); ++rank) {
    plan.ranks.push_back(PlanOf(spec, gang, rank));
  }
  if (!IsOneOf(spec.ioengine(), kEngines)) AddUnlisted(plan, "ioengine", spec.ioengine());
  return plan;
}

}  // namespace twofold::suite::fio
