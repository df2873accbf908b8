#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "lib/suite/mpirun.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/openfoam/openfoam.h"

namespace twofold::suite::openfoam {
namespace {

using Spec = v1::suites::OpenFoamSpec;
using Arguments = std::vector<std::string>;

bool Sends(const Spec& spec) { return spec.staging() == "send"; }

Arguments MpirunArgs(const Spec& spec) {
  return {spec.mpirun_args().begin(), spec.mpirun_args().end()};
}

Status CheckParts(const Spec& spec) {
  if (spec.num_nodes() > spec.num_procs()) {
    return Wrong("numNodes", absl::StrCat(spec.num_nodes(), " workers for ", spec.num_procs(),
                                          " processes: some would have nothing to do"));
  }
  const std::uint32_t slices = CutInto(spec.num_procs())[0];
  if (slices <= SizeOf(spec).edge) return absl::OkStatus();
  return Wrong("numProcs",
               absl::StrCat(spec.num_procs(), " parts are ", slices, " slices along x, which has ",
                            SizeOf(spec).edge, " cells: take a number with smaller factors"));
}

// Rank 0 has to know which processes run where.
Status CheckStaging(const Spec& spec) {
  constexpr std::string_view kPlaces[] = {"map-by", "rank-by"};
  if (!Sends(spec)) return absl::OkStatus();
  for (const std::string& argument : spec.mpirun_args()) {
    if (!HasAny(argument, kPlaces)) continue;
    return Wrong("staging", absl::StrCat("send: not together with mpirunArgs ", argument));
  }
  return absl::OkStatus();
}

Status CheckTogether(const Spec& spec) {
  Status status = CheckParts(spec);
  if (status.ok()) status = CheckStaging(spec);
  if (status.ok()) status = CheckPlain("network", spec.network());
  return status;
}

Stage Foam(const std::string& name, Phase phase, const Arguments& command) {
  Stage stage{.name = name, .phase = phase, .argv = {"/bin/bash", "foam.sh"}};
  stage.argv.insert(stage.argv.end(), command.begin(), command.end());
  return stage;
}

std::vector<Stage> Preparation(const Spec& spec) {
  std::vector<Stage> stages;
  if (NeedsPetsc(spec)) {
    stages.push_back(Foam("plugin", Phase::kPrepare, {"--library", "libpetscFoam.so"}));
  }
  stages.push_back(Foam("mesh", Phase::kPrepare, {"blockMesh"}));
  if (spec.num_procs() > 1) {
    stages.push_back(Foam("decompose", Phase::kPrepare, {"decomposePar"}));
  }
  return stages;
}

// mpirun starts processes in the folder of rank 0, which the others do not have; foam.sh of each
// worker goes to its own.
Stage Solve(const Spec& spec, const Gang& gang) {
  if (spec.num_procs() == 1) {  // icoFoam refuses to be parallel then
    Stage stage = Foam("solve", Phase::kRun, {"icoFoam"});
    stage.limit = std::chrono::seconds(spec.timeout());
    return stage;
  }
  Arguments more = {"--map-by", "node"};
  const Arguments own = MpirunArgs(spec);
  if (std::any_of(own.begin(), own.end(), [](const std::string& argument) {
        return argument.find("map-by") != std::string::npos;
      })) {
    more.clear();
  }
  more.insert(more.end(), own.begin(), own.end());
  return MpiStage("solve",
                  {.hosts = gang.members,
                   .slots = (spec.num_procs() + spec.num_nodes() - 1) / spec.num_nodes(),
                   .ranks = spec.num_procs(),
                   .rdma = spec.transport() == "RDMA",
                   .network = spec.network(),
                   .timeout_s = spec.timeout(),
                   .more = std::move(more),
                   .program = {"/bin/bash", "-c",
                               R"(exec /bin/bash "$TWOFOLD_WORK/run/foam.sh" icoFoam -parallel)"}});
}

constexpr char kSendScript[] =
    R"sh(# Sends the other workers their parts of the case, one worker after the other.
set -e -o pipefail
while read -r address parts; do
  tar -cf - $parts | twofold-rsh "$address" 'tar -xf - -C "$TWOFOLD_WORK/run"'
done < parts.txt
)sh";

// "10.0.0.2 processor1 processor3", a line a worker. With --map-by node process i runs on the host
// i modulo their number; members with one address are one host to mpirun, with more slots than
// others, and then nobody goes short who has all.
std::string Parts(const Spec& spec, const Gang& gang) {
  Arguments hosts;
  for (const Member& member : gang.members) {
    if (!IsOneOf(member.address, std::vector<std::string_view>(hosts.begin(), hosts.end()))) {
      hosts.push_back(member.address);
    }
  }
  const bool all = hosts.size() < gang.members.size();
  std::string text;
  for (std::size_t host = 1; host < hosts.size(); ++host) {
    text += hosts[host];
    for (std::uint32_t part = 0; part < spec.num_procs(); ++part) {
      if (all || part % hosts.size() == host) absl::StrAppend(&text, " processor", part);
    }
    text += "\n";
  }
  return text;
}

void AddSend(const Spec& spec, const Gang& gang, RankPlan& leader) {
  leader.files.push_back({"send.sh", kSendScript});
  leader.files.push_back({"parts.txt", Parts(spec, gang)});
  leader.stages.push_back({.name = "send", .argv = {"/bin/bash", "send.sh"}});
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json, CheckTogether); }

GangPlan Plan(const Spec& spec, const Gang& gang) {
  GangPlan plan = LedByRankZero(gang.members.size(), {});
  for (RankPlan& rank : plan.ranks) {
    const bool leads = &rank == plan.ranks.data();
    rank.folders = kFolders;
    rank.files = CaseFiles(spec);
    if (leads || !Sends(spec)) rank.stages = Preparation(spec);
  }
  RankPlan& leader = plan.ranks[0];
  if (Sends(spec) && plan.ranks.size() > 1) AddSend(spec, gang, leader);
  leader.stages.push_back(Solve(spec, gang));
  AddUnlistedMpirunArgs(plan, MpirunArgs(spec));
  return plan;
}

}  // namespace twofold::suite::openfoam
