#include <absl/strings/str_cat.h>

#include "lib/suite/mpirun.h"
#include "lib/suite/spec.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

using Spec = v1::suites::MpiPingPongSpec;

constexpr std::uint32_t kMembers = 2;

constexpr std::string_view kTransports[] = {"TCP", "RDMA"};
constexpr std::string_view kTools[] = {"imb", "netpipe"};

constexpr NumberRule<Spec> kNumbers[] = {
    {"maxlog", &Spec::maxlog, 1, 30},
    {"timeout", &Spec::timeout, 1, 86400},
};
const WordRule<Spec> kWords[] = {
    {"transport", &Spec::transport, kTransports},
    {"tool", &Spec::tool, kTools},
};

std::vector<std::string> Program(const Spec& spec) {
  if (spec.tool() == "imb") {
    return {"IMB-MPI1", "PingPong", "-msglog", absl::StrCat("0:", spec.maxlog())};
  }
  return {"NPopenmpi", "-u", absl::StrCat(std::uint64_t{1} << spec.maxlog())};
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) {
  Spec spec;
  Status status = ReadJson(json, spec);
  if (status.ok()) status = CheckNumbers(spec, kNumbers);
  if (status.ok()) status = CheckWords(spec, kWords);
  if (status.ok()) status = CheckPlain("network", spec.network());
  if (!status.ok()) return status;
  return spec;
}

Result<std::uint32_t> Check(std::string_view json) {
  const Result<Spec> spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  return kMembers;
}

Result<GangPlan> Plan(std::string_view json, const Gang& gang) {
  const Result<Spec> spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  if (Status status = CheckGang(gang, kMembers); !status.ok()) return status;
  GangPlan plan = LedByRankZero(
      kMembers,
      {MpiStage("pingpong", {.hosts = gang.members,
                             .slots = 1,
                             .ranks = kMembers,
                             .rdma = spec->transport() == "RDMA",
                             .network = spec->network(),
                             .timeout_s = spec->timeout(),
                             .more = {spec->mpirun_args().begin(), spec->mpirun_args().end()},
                             .program = Program(*spec)})});
  AddUnlistedMpirunArgs(plan, {spec->mpirun_args().begin(), spec->mpirun_args().end()});
  return plan;
}

}  // namespace twofold::suite::mpi_pingpong
