#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

using Spec = v1::suites::FioSpec;

constexpr std::string_view kPatterns[] = {"read",   "write",     "randread",     "randwrite",
                                          "randrw", "readwrite", "rw,readwrite", "rw"};
constexpr std::string_view kSizeUnits[] = {"", "k", "K", "m", "M", "g", "G", "t", "T", "p", "P"};
// Engines that read and write the files laid out and nothing else. fio has others: a path is a
// library to load, `exec` runs programs, `sg` and `http` go elsewhere.
constexpr std::string_view kEngines[] = {"libaio", "io_uring", "psync",   "sync",
                                         "vsync",  "pvsync",   "pvsync2", "posixaio",
                                         "mmap",   "splice",   "libpmem", "null"};
constexpr std::string_view kTimeUnits[] = {"D", "H", "M", "s", "ms", "us"};

constexpr NumberRule<Spec> kNumbers[] = {
    {"direct", &Spec::direct, 0, 1},
    {"iodepth", &Spec::iodepth, 1, 65536},
    {"nrfiles", &Spec::nrfiles, 1, 1000000},
    {"numJobs", &Spec::num_jobs, 1, 4096},
    {"percentageRandom", &Spec::percentage_random, 0, 100},
    {"rwmixread", &Spec::rwmixread, 0, 100},
    {"numWorkers", &Spec::num_workers, 1, 4096},
};
const WordRule<Spec> kWords[] = {{"rw", &Spec::rw, kPatterns}};

// Whole digits, then one of the units; anything after it is refused, also a line break, as the
// value becomes a line of fio's job file.
Status CheckQuantity(const char* field, const std::string& value,
                     std::span<const std::string_view> units, const char* example) {
  const std::size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
  const std::string_view unit = std::string_view(value).substr(digits);
  const bool known = std::find(units.begin(), units.end(), unit) != units.end();
  if (known && digits > 0 && digits < 16 && value[0] != '0') return absl::OkStatus();
  return Wrong(field, absl::StrCat("'", Quoted(value), "' is not like ", example));
}

Status CheckTexts(const Spec& spec) {
  const Status statuses[] = {
      CheckQuantity("bs", spec.bs(), kSizeUnits, "4k or 1M"),
      CheckQuantity("size", spec.size(), kSizeUnits, "100M or 10G"),
      CheckQuantity("runtime", spec.runtime(), kTimeUnits, "30s or 5M"),
      spec.ramp_time().empty() ? absl::OkStatus()
                               : CheckQuantity("rampTime", spec.ramp_time(), kTimeUnits, "2s"),
      CheckPlain("ioengine", spec.ioengine()),
      spec.directory().empty() ? absl::OkStatus() : CheckPathInFile("directory", spec.directory()),
  };
  for (const Status& status : statuses) {
    if (!status.ok()) return status;
  }
  if (spec.ioengine().empty()) return Wrong("ioengine", "empty: leave it out, or name one");
  return absl::OkStatus();
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

RankPlan PlanOf(const Spec& spec, const Gang& gang, std::size_t rank) {
  RankPlan plan;
  const std::string folder = Folder(spec, gang, rank);
  plan.folders = {folder};
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

Result<Spec> ReadSpec(std::string_view json) {
  Spec spec;
  Status status = ReadJson(json, spec);
  if (status.ok()) status = CheckNumbers(spec, kNumbers);
  if (status.ok()) status = CheckWords(spec, kWords);
  if (status.ok()) status = CheckTexts(spec);
  if (!status.ok()) return status;
  return spec;
}

Result<std::uint32_t> Check(std::string_view json) {
  const Result<Spec> spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  return spec->num_workers();
}

Result<GangPlan> Plan(std::string_view json, const Gang& gang) {
  const Result<Spec> spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  if (Status status = CheckGang(gang, spec->num_workers()); !status.ok()) return status;
  GangPlan plan;
  // fio's own end differs between workers by what is in flight; each has its result.
  plan.ending = Ending::kEveryRank;
  for (std::size_t rank = 0; rank < gang.members.size(); ++rank) {
    plan.ranks.push_back(PlanOf(*spec, gang, rank));
  }
  if (std::find(std::begin(kEngines), std::end(kEngines), spec->ioengine()) == std::end(kEngines)) {
    AddUnlisted(plan, "ioengine", spec->ioengine());
  }
  return plan;
}

}  // namespace twofold::suite::fio
