#include <absl/strings/str_cat.h>

#include "lib/suite/mpirun.h"
#include "lib/suite/spec.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

using Spec = v1::suites::MpiPingPongSpec;

std::vector<std::string> Program(const Spec& spec) {
  if (spec.tool() == "imb") {
    return {"IMB-MPI1", "PingPong", "-msglog", absl::StrCat("0:", spec.maxlog())};
  }
  return {"NPopenmpi", "-u", absl::StrCat(std::uint64_t{1} << spec.maxlog())};
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) {
  return ReadByRules<Spec>(json,
                           [](const Spec& spec) { return CheckPlain("network", spec.network()); });
}

GangPlan Plan(const Spec& spec, const Gang& gang) {
  const std::uint32_t ranks = Workers(spec);
  GangPlan plan = LedByRankZero(
      ranks, {MpiStage("pingpong", {.hosts = gang.members,
                                    .slots = 1,
                                    .ranks = ranks,
                                    .rdma = spec.transport() == "RDMA",
                                    .network = spec.network(),
                                    .timeout_s = spec.timeout(),
                                    .more = {spec.mpirun_args().begin(), spec.mpirun_args().end()},
                                    .program = Program(spec)})});
  AddUnlistedMpirunArgs(plan, {spec.mpirun_args().begin(), spec.mpirun_args().end()});
  return plan;
}

}  // namespace twofold::suite::mpi_pingpong
