#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/suite/plan.h"

namespace twofold::suite {

/// Those of `arguments` of mpirun (Open MPI 4.1) that are more than they need to shape a run: all
/// but the options, MCA parameters and variables of the tables in mpirun.cc, with values of
/// letters, digits and a few signs. mpirun has hundreds, and with some of them starts any program
/// (plm_rsh_agent), loads any library (-x LD_PRELOAD) or writes any file (--output-filename).
/// Empty: it is all listed.
std::vector<std::string> UnlistedMpirunOptions(const std::vector<std::string>& arguments);

/// One `mpirun` of Open MPI 4.1 on rank 0, which starts its daemons on the other members through
/// the gang's exec service: no ssh.
struct MpiRun {
  std::vector<Member> hosts;      ///< that hold ranks, in this order
  std::uint32_t slots = 1;        ///< ranks on each at most
  std::uint32_t ranks = 1;        ///< in all
  bool rdma = false;              ///< UCX over rc_x; else TCP
  std::string network;            ///< CIDR or interface; empty: Open MPI chooses
  std::uint32_t timeout_s = 600;  ///< mpirun ends all by itself after it
  std::vector<std::string> more;  ///< options, before the program
  std::vector<std::string> program;
};

/// The stage of that name that runs it. Its limit is somewhat more than the timeout, as mpirun
/// cleans up better than a signal does.
Stage MpiStage(const std::string& name, const MpiRun& run);

/// Adds to `plan` those of `arguments`, the field mpirunArgs of a spec, that are on no list.
void AddUnlistedMpirunArgs(GangPlan& plan, const std::vector<std::string>& arguments);

/// A plan for stages of rank 0 alone, with all others ready to run what they ask for.
GangPlan LedByRankZero(std::size_t members, std::vector<Stage> stages);

/// What mpirun or the program said went wrong, a whole sentence, if there is one of those known for
/// that; else empty. A run of which this is said has failed, whatever rows it has: ranks that were
/// killed show nowhere else.
std::string MpiReason(std::string_view out, std::string_view err);

}  // namespace twofold::suite
