#include "backend/benchmark/prepare.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "backend/benchmark/host.h"
#include "backend/benchmark/offers.h"
#include "backend/workload/peer_link.h"
#include "lib/common/match.h"
#include "lib/process/environment.h"
#include "lib/suite/text.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

namespace fs = std::filesystem;

std::string Message(const Status& status) { return std::string(status.message()); }

Verdict ReadSpec(const BenchmarkOptions& options, const suite::Suite& suite, const Job& job,
                 std::string& spec) {
  if (job.arguments.size() > 1) {
    return Because(
        "plan", absl::StrCat("a job of ", std::string(suite.name), " has one argument, its spec"));
  }
  const std::string_view own = job.arguments.empty() ? "" : job.arguments[0];
  spec = own.empty() ? options.spec : std::string(own);
  return {};
}

std::uint32_t SizeOf(const Job& job) {
  return job.gang == nullptr ? 1 : static_cast<std::uint32_t>(job.gang->gang->peers_size());
}

Verdict CheckGang(const BenchmarkOptions& options, const suite::Suite& suite, const Job& job,
                  const std::string& spec) {
  const Result<std::uint32_t> members = suite.check(spec);
  if (!members.ok()) return Because("plan", Message(members.status()));
  if (*members != SizeOf(job)) {
    return Because(
        "plan",
        absl::StrCat("with this spec ", std::string(suite.name), " runs on ", *members,
                     *members == 1 ? " worker, without a gang" : " workers, as a gang of so many",
                     "; it was given ", SizeOf(job)));
  }
  if (job.gang != nullptr && options.peers == nullptr) {
    return Because("prepare", "members of gangs cannot reach this worker: give it --peers-address");
  }
  return {};
}

suite::Gang GangOf(const BenchmarkOptions& options, const Job& job, std::string_view suffix) {
  if (job.gang == nullptr) {
    // More than one frontend counts jobs; what only one worker makes can have a name of its own.
    return {absl::StrCat("job-", job.id.job, "-", job.id.attempt, "-", std::string(suffix)),
            {{options.worker.address, options.worker.node}}};
  }
  const v1::GangRoster& roster = *job.gang->gang;
  suite::Gang gang{absl::StrCat("job-", roster.job(), "-", roster.attempt()), {}};
  for (const v1::Peer& peer : roster.peers()) gang.members.push_back({peer.address(), peer.node()});
  return gang;
}

// Where `path` leads; empty if that cannot be known. What is not there yet is taken as written.
fs::path Target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  return error ? fs::path() : target;
}

bool IsWithin(const fs::path& path, const fs::path& folder) {
  if (path.empty() || folder.empty()) return false;
  const auto [rest, ignored] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

bool IsAllowed(const std::string& path, const std::string& work_folder, const Allowances& allowed) {
  const fs::path target = Target(fs::path(work_folder) / path);
  return IsWithin(target, Target(work_folder)) ||
         std::any_of(allowed.paths.begin(), allowed.paths.end(),
                     [&](const std::string& folder) { return IsWithin(target, Target(folder)); });
}

bool IsAllowed(const suite::Ask& ask, const Allowances& allowed) {
  return std::any_of(allowed.values.begin(), allowed.values.end(), [&](const std::string& each) {
    const std::size_t equals = each.find('=');
    return each.substr(0, equals) == ask.field && Matches(ask.value, each.substr(equals + 1));
  });
}

// Whether this worker carries out what the spec of rank `rank` asks for: paths lead into
// `work_folder` or where `allowed` says, symbolic links followed, and nothing is unlisted that is
// not allowed, nor anything asked for. What a link is changed to later is not seen: let nobody else
// write there. Errors   kPermissionDenied: the path or option, and which flag of the worker would
// allow it.
Status CheckAllowed(const suite::GangPlan& plan, std::uint32_t rank, const std::string& work_folder,
                    const Allowances& allowed) {
  if (!allowed.options && !plan.unlisted.empty()) {
    return absl::PermissionDeniedError(absl::StrCat(
        plan.unlisted.front(), " is on no word list; only workers with --allow-options take it"));
  }
  for (const suite::Ask& ask : plan.asks) {
    if (IsAllowed(ask, allowed)) continue;
    const std::string what = absl::StrCat(ask.field, "=", ask.value);
    return absl::PermissionDeniedError(absl::StrCat(ask.field,
                                                    ": only workers with --allow-value '", what,
                                                    "', or a pattern of it, take that"));
  }
  const suite::RankPlan& own = plan.ranks[rank];
  for (const auto* paths : {&own.folders, &own.paths}) {
    for (const std::string& path : *paths) {
      if (IsAllowed(path, work_folder, allowed)) continue;
      return absl::PermissionDeniedError(absl::StrCat(
          path, ": neither in the work folder nor where this worker has --allow-path"));
    }
  }
  return absl::OkStatus();
}

Verdict FindPrograms(const BenchmarkOptions& options, Prepared& prepared) {
  const std::vector<std::string> folders = ProgramFolders(options);
  const process::SearchPath where = {folders, InheritedPath()};
  for (const std::string& program : suite::ProgramsOf(prepared.rank_plan())) {
    if (!process::FindProgram(program, where).ok()) {
      return Because("prepare", suite::NotInstalled(program));
    }
  }
  for (const suite::Stage& stage : prepared.rank_plan().stages) {
    prepared.programs.push_back(*process::FindProgram(stage.argv.at(0), where));
  }
  return {};
}

// Members on the node of this one write beside it.
std::uint64_t BytesHere(const suite::Gang& gang, const Prepared& prepared) {
  std::uint64_t bytes = 0;
  for (std::size_t rank = 0; rank < gang.members.size(); ++rank) {
    const bool here = gang.members[rank].node == gang.members[prepared.rank].node;
    if (here) bytes += prepared.plan.ranks[rank].disk_bytes;
  }
  return bytes;
}

Verdict CheckDisk(const suite::Gang& gang, const Prepared& prepared) {
  if (prepared.rank_plan().disk_bytes == 0) return {};
  const fs::path folder =
      (fs::path(prepared.folder->run()) / prepared.rank_plan().folders.at(0)).parent_path();
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  const std::uint64_t bytes = BytesHere(gang, prepared);
  if (error || bytes <= space.available) return {};  // what is wrong with it is said otherwise
  return Because("prepare",
                 absl::StrCat("its files take ", suite::BytesText(static_cast<double>(bytes)),
                              ", and ", folder.string(), " has ",
                              suite::BytesText(static_cast<double>(space.available)), " free"));
}

// Programs of suites say nothing about being ready: the plan knows how that is seen.
std::vector<std::string> EnvironmentOf(const BenchmarkOptions& options, const Job& job,
                                       const Prepared& prepared) {
  std::vector<std::string> all = process::Overlay(JobEnvironment(job), {"TWOFOLD_READY_FD"});
  all.push_back("PATH=" + process::JoinPath({ProgramFolders(options), InheritedPath()}));
  all.push_back("TMPDIR=" + prepared.folder->tmp());
  all.push_back(prepared.folder->marker());
  if (job.gang != nullptr && job.gang->rank == 0) {
    for (std::string& variable : options.peers->Environment(*job.gang)) {
      all.push_back(std::move(variable));
    }
  }
  return all;
}

}  // namespace

Verdict Prepare(const suite::Suite& suite, const BenchmarkOptions& options, const Job& job,
                Prepared& prepared) {
  prepared.rank = job.gang == nullptr ? 0 : job.gang->rank;
  Verdict wrong = ReadSpec(options, suite, job, prepared.spec);
  if (wrong.error.empty()) wrong = CheckGang(options, suite, job, prepared.spec);
  if (!wrong.error.empty()) return wrong;
  auto folder = WorkFolder::Make(options.work_dir);
  if (!folder.ok()) return Because("prepare", "--work-dir: " + Message(folder.status()));
  prepared.folder = *std::move(folder);
  const suite::Gang gang = GangOf(options, job, prepared.folder->suffix());
  auto plan = suite.plan(prepared.spec, gang);
  if (!plan.ok()) return Because("plan", Message(plan.status()));
  prepared.plan = *std::move(plan);
  const Status allowed =
      CheckAllowed(prepared.plan, prepared.rank, prepared.folder->run(), options.allowed);
  if (!allowed.ok()) return Because("plan", Message(allowed));
  prepared.versions.resize(prepared.rank_plan().stages.size());
  wrong = FindPrograms(options, prepared);
  if (wrong.error.empty()) wrong = CheckDisk(gang, prepared);
  if (!wrong.error.empty()) return wrong;
  const Status filled = prepared.folder->Fill(prepared.rank_plan());
  if (!filled.ok()) return Because("prepare", Message(filled));
  prepared.environment = EnvironmentOf(options, job, prepared);
  return {};
}

v1::BenchmarkResult EmptyResult(const suite::Suite& suite, const WorkerFacts& worker,
                                const Job& job) {
  v1::BenchmarkResult result;
  result.set_suite(std::string(suite.name));
  const v1::GangRoster alone;
  const v1::GangRoster& roster = job.gang == nullptr ? alone : *job.gang->gang;
  for (const v1::Peer& peer : roster.peers()) {
    v1::RankRecord& rank = *result.add_ranks();
    rank.set_node(peer.node());
    rank.set_pod(peer.pod());
    rank.set_address(peer.address());
  }
  const int rank = job.gang == nullptr ? 0 : static_cast<int>(job.gang->rank);
  v1::RankRecord& own = job.gang == nullptr ? *result.add_ranks() : *result.mutable_ranks(rank);
  own.set_node(worker.node);
  own.set_pod(worker.pod);
  own.set_address(worker.address);
  own.set_image(worker.image);
  DescribeHost(own);
  return result;
}

}  // namespace twofold::backend
