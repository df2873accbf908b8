#include "cli/runs/local_run.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/local/launch.h"
#include "cli/local/remote.h"
#include "lib/common/counted.h"
#include "lib/process/environment.h"
#include "lib/suite/plan.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

constexpr std::chrono::seconds kReadyWithin{60};
constexpr std::chrono::seconds kEndsWithin{10};

constexpr std::int64_t kMostWorkers = 64;
// A worker hands back what it has in this time when a run is interrupted.
constexpr double kGraceSeconds = 2;

// ---- folders

std::string OfEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of the XDG Base Directory Specification: a path that is not absolute does not count.
std::string UsualFolder() {
  if (const std::string state = OfEnvironment("XDG_STATE_HOME"); state.starts_with("/")) {
    return state + "/twofold";
  }
  const std::string home = OfEnvironment("HOME");
  return home.empty() ? "" : home + "/.local/state/twofold";
}

// ---- conditions that a file asks for

using Conditions = std::map<std::string, std::string>;  // value by field

std::string TopOf(const std::string& path) { return path.substr(0, path.find('.')); }

// What a permutation has that no suite sees: labels of workers, and fields without effect.
Conditions ConditionsOf(const spec::Kind& kind, const spec::Permutation& permutation) {
  Conditions conditions;
  for (const spec::Requirement& need : permutation.labels) conditions[need.label] = need.value;
  for (const spec::VariedValue& varied : permutation.values) {
    const spec::Field* field = spec::Find(kind.fields, TopOf(varied.path));
    if (field == nullptr || field->role != spec::Role::kNoEffect) continue;
    conditions[varied.path] = CellText(varied.value);
  }
  return conditions;
}

// A field in which the two differ; empty: none.
std::string DifferenceOf(const Conditions& one, const Conditions& other) {
  std::vector<Conditions::value_type> differences;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                std::back_inserter(differences));
  return differences.empty() ? "" : differences.front().first;
}

// Where the sweep varies a field.
yaml::Place PlaceOf(const spec::Sweep& sweep, const std::string& field) {
  for (const spec::Axis& axis : sweep.product) {
    if (TopOf(axis.field.key) == TopOf(field)) return axis.field.place;
  }
  for (const yaml::NodeRef& listed : sweep.listed) {
    const yaml::Entry* entry = yaml::Find(*yaml::AsMap(*listed), TopOf(field));
    if (entry != nullptr) return entry->place;
  }
  return sweep.place;
}

Status Refuse(const spec::Sweep& sweep, const std::string& field) {
  const Status fault = yaml::InFile(
      sweep.file,
      yaml::Fault(PlaceOf(sweep, field), field,
                  "--local cannot apply it, so permutations that differ in it would be the same "
                  "measured again. Leave it out of spec.permutations, or run on a cluster whose "
                  "workers have these labels"));
  return absl::FailedPreconditionError(fault.message());
}

// ---- what its jobs run

// What a permutation runs here. A spec that its worker refuses is no matter of the machine.
suite::GangPlan PlanOf(const Benchmark& benchmark, const spec::Permutation& permutation) {
  const suite::Gang here = {
      "local",
      std::vector<suite::Member>(static_cast<std::size_t>(permutation.gang), {"127.0.0.1", ""})};
  return suite::FindSuite(benchmark.sweep.kind->suite)
      ->plan(permutation.spec, here)
      .value_or(suite::GangPlan());
}

// Before a cluster is started and each of the jobs says the same.
Status CheckPrograms(const RunCommand& command, const Benchmark& benchmark) {
  if (!command.workload.empty()) return absl::OkStatus();
  const std::vector<std::string> ours = {command.programs};
  const process::SearchPath where = {ours, OfEnvironment("PATH")};
  for (const spec::Permutation& one : benchmark.expansion.permutations) {
    for (const suite::RankPlan& rank : PlanOf(benchmark, one).ranks) {
      for (const std::string& program : suite::ProgramsOf(rank)) {
        if (process::FindProgram(program, where).ok()) continue;
        return absl::FailedPreconditionError("--local: " + suite::NotInstalled(program));
      }
    }
  }
  return absl::OkStatus();
}

Status CheckLocal(const RunCommand& command, const Benchmark& benchmark) {
  const auto& [sweep, expansion] = benchmark;
  if (command.spread == "node") {
    return absl::FailedPreconditionError("--spread node: with --local there is one node");
  }
  const Conditions first = ConditionsOf(*sweep.kind, expansion.permutations.front());
  for (const spec::Permutation& one : expansion.permutations) {
    const std::string field = DifferenceOf(first, ConditionsOf(*sweep.kind, one));
    if (!field.empty()) return Refuse(sweep, field);
  }
  return CheckPrograms(command, benchmark);
}

// ---- the cluster

Result<int> WorkersFor(const Benchmark& benchmark) {
  std::int64_t gang = 1;
  for (const spec::Permutation& one : benchmark.expansion.permutations) {
    gang = std::max(gang, one.gang);
  }
  const std::int64_t workers = gang * std::int64_t{benchmark.sweep.max_parallel};
  if (workers <= kMostWorkers) return static_cast<int>(workers);
  return absl::FailedPreconditionError(absl::StrCat("--local: the run takes ", workers,
                                                    " workers at once, more than ", kMostWorkers,
                                                    " are not started on one machine"));
}

Result<local::ClusterOptions> ClusterFor(const LocalRuns& runs, const RunCommand& command,
                                         const RunRecord& record, const Benchmark& benchmark) {
  const auto workers = WorkersFor(benchmark);
  if (!workers.ok()) return workers.status();
  local::ClusterOptions options;
  options.programs = command.programs;
  options.replicas = *workers;
  options.free_ports = true;
  options.grace_seconds = kGraceSeconds;
  options.allow = command.allow;
  options.run = local::RunCluster{.queue = record.queue,
                                  .workload = record.workload,
                                  .store = runs.StoreFile(),
                                  .label = LabelOfRun(KeyOf(record))};
  if (record.workload.empty()) options.run->workload = {std::string(benchmark.sweep.kind->suite)};
  return options;
}

}  // namespace

std::string ShellWord(const std::string& word) {
  const auto bare = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./:=,@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), bare)) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

Result<LocalRuns> LocalRuns::In(const std::string& given) {
  const std::string dir = given.empty() ? UsualFolder() : given;
  if (dir.empty()) {
    return absl::InvalidArgumentError(
        "--local: neither XDG_STATE_HOME nor HOME says where to keep results; give a folder with "
        "--keep");
  }
  std::error_code error;
  const std::string path = std::filesystem::absolute(dir, error).string();
  if (!error) std::filesystem::create_directories(path, error);
  if (!error) return LocalRuns(path, !given.empty());
  return absl::InvalidArgumentError(absl::StrCat(
      "--local: cannot make ", path, ": ", error.message(), "; give another folder with --keep"));
}

local::StateFolder LocalRuns::Folder() const {
  return local::StateFolder(dir_ + "/cluster", local::StateFolder::Logs::kStay);
}

std::string LocalRuns::Option() const {
  return given_ ? absl::StrCat("--local --keep ", ShellWord(dir_)) : "--local";
}

Result<std::string> StartCluster(const LocalRuns& runs, const RunCommand& command,
                                 const RunRecord& record, const Benchmark& benchmark) {
  if (Status status = CheckLocal(command, benchmark); !status.ok()) return status;
  const auto options = ClusterFor(runs, command, record, benchmark);
  if (!options.ok()) return options.status();
  const local::StateFolder folder = runs.Folder();
  if (!local::StateFolder::WaitUnlocked(folder.WatchLock(), kEndsWithin)) {
    return absl::FailedPreconditionError(
        absl::StrCat("another run on this machine goes on in ", folder.dir(),
                     ": two would measure each other. Wait for its end, or give this one a folder "
                     "of its own with --keep"));
  }
  const auto supervisor = local::Launch(folder, *options, local::Life::kEmbedded, kReadyWithin);
  if (!supervisor.ok()) return supervisor.status();
  const auto remote = local::Remote::Find(folder);
  return remote.ok() ? remote->FrontendAddress() : remote.status();
}

std::string TooFewCores(const Benchmark& benchmark, std::uint32_t cores) {
  std::uint32_t most = 0;
  std::uint64_t number = 0;
  for (const spec::Permutation& one : benchmark.expansion.permutations) {
    const std::uint32_t busy =
        suite::CoresOf(PlanOf(benchmark, one)) * benchmark.sweep.max_parallel;
    if (busy > most) number = one.number;
    most = std::max(most, busy);
  }
  if (most <= cores) return "";
  return absl::StrCat("permutation ", number, " runs ", most, " processes at once on ", cores,
                      cores == 1 ? " core" : " cores",
                      ": they take turns, which takes long, and what it measures is that");
}

std::string NotApplied(const spec::Expansion& expansion) {
  std::vector<std::string> labels;
  for (const spec::Requirement& need : expansion.permutations.front().labels) {
    labels.push_back(absl::StrCat(need.label, "=", need.value));
  }
  return absl::StrJoin(labels, " ");
}

}  // namespace twofold::cli
