#include "lib/suite/mpirun.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "lib/suite/mpirun_options.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

constexpr std::chrono::seconds kToCleanUp(15);

using Arguments = std::vector<std::string>;

void Add(Arguments& to, const Arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

// "10.0.0.1:2,10.0.0.2:2". Members with one address are one host to Open MPI.
std::string HostList(const MpiRun& run) {
  std::vector<std::pair<std::string, std::uint32_t>> slots;
  for (const Member& host : run.hosts) {
    const auto same = std::find_if(slots.begin(), slots.end(),
                                   [&](const auto& entry) { return entry.first == host.address; });
    if (same == slots.end()) {
      slots.emplace_back(host.address, run.slots);
    } else {
      same->second += run.slots;
    }
  }
  return absl::StrJoin(slots, ",", absl::PairFormatter(":"));
}

Arguments Transport(const MpiRun& run) {
  if (run.rdma) {
    return {"-x",  "UCX_TLS", "--mca", "btl", "^openib", "--mca",
            "pml", "ucx",     "--mca", "osc", "ucx"};
  }
  // One-sided operations over TCP fail with Debian's UCX in the way: osc pt2pt. Shared memory is
  // for ranks of one worker only.
  return {"--mca", "pml", "ob1",
          "--mca", "osc", "pt2pt",
          "--mca", "btl", run.slots > 1 ? "tcp,self,vader" : "tcp,self"};
}

Arguments Network(const std::string& network) {
  if (network.empty()) return {};
  return {"--mca", "oob_tcp_if_include", network, "--mca", "btl_tcp_if_include", network};
}

Arguments Argv(const MpiRun& run) {
  // Workers that share a node would all bind their first rank to core 0: --bind-to none. Without
  // the tree of spawns only rank 0 starts daemons, and they have to stay attached to it.
  Arguments argv = {"mpirun",
                    "--timeout",
                    absl::StrCat(run.timeout_s),
                    "--bind-to",
                    "none",
                    "--mca",
                    "plm",
                    "rsh",
                    "--mca",
                    "plm_rsh_agent",
                    "twofold-rsh",
                    "--mca",
                    "plm_rsh_no_tree_spawn",
                    "1",
                    "--leave-session-attached"};
  Add(argv, Transport(run));
  Add(argv, Network(run.network));
  Add(argv, {"--host", HostList(run), "-np", absl::StrCat(run.ranks)});
  Add(argv, run.more);
  Add(argv, run.program);
  return argv;
}

// What Open MPI and the benchmarks say; the rest of their pages of text explains it.
constexpr std::array<std::string_view, 14> kReasons = {
    "DATA VALIDATION ERROR",
    "This test requires",
    "Please run this benchmark on more than 1 node",
    "requires at least",
    "Invalid Argument",
    "Invalid Rank count",
    "There are not enough slots available",
    "mpirun has detected an attempt to run as root",
    "The user-provided time limit for job execution has been reached",
    "mpirun was unable to find the specified executable file",
    "mpirun was unable to launch the specified application",
    "ORTE has lost communication with a remote daemon",
    "An ORTE daemon has unexpectedly failed",
    "MPI_ERR_",
};

std::string ReasonIn(std::string_view text) {
  const auto lines = Lines(text);
  for (const std::string_view reason : kReasons) {
    for (const std::string_view line : lines) {
      if (line.find(reason) != std::string_view::npos) return std::string(Strip(line));
    }
  }
  return {};
}

}  // namespace

Stage MpiStage(const std::string& name, const MpiRun& run) {
  Stage stage;
  stage.name = name;
  stage.argv = Argv(run);
  // Containers run as root; mpirun asks for both words of it.
  stage.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  if (run.rdma) stage.environment.emplace_back("UCX_TLS", "self,rc_x");
  stage.limit = std::chrono::seconds(run.timeout_s) + kToCleanUp;
  return stage;
}

void AddUnlistedMpirunArgs(GangPlan& plan, const std::vector<std::string>& arguments) {
  for (const std::string& what : UnlistedMpirunOptions(arguments)) {
    AddUnlisted(plan, "mpirunArgs", what);
  }
}

GangPlan LedByRankZero(std::size_t members, std::vector<Stage> stages) {
  GangPlan plan;
  plan.ranks.resize(members);
  for (std::size_t rank = 1; rank < members; ++rank) plan.ranks[rank].serves_exec = true;
  plan.ranks.at(0).stages = std::move(stages);
  return plan;
}

std::string MpiReason(std::string_view out, std::string_view err) {
  std::string reason = ReasonIn(err);
  return reason.empty() ? ReasonIn(out) : reason;
}

}  // namespace twofold::suite
