#pragma once

#include <string>
#include <vector>

namespace twofold::suite {

/// Those of `arguments` of mpirun (Open MPI 4.1) that are more than they need to shape a run: all
/// but the options, MCA parameters and variables of the tables in mpirun_options.cc, with values of
/// letters, digits and a few signs. mpirun has hundreds, and with some of them starts any program
/// (plm_rsh_agent), loads any library (-x LD_PRELOAD) or writes any file (--output-filename).
/// Empty: it is all listed.
std::vector<std::string> UnlistedMpirunOptions(const std::vector<std::string>& arguments);

}  // namespace twofold::suite
