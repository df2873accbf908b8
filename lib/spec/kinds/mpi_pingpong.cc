#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind MpiPingPong() {
  return {"MPIPingPong",
          "mpi-pingpong",
          true,
          {.fixed = 2},
          WithCommon({
              {"transport", Transport(), "TCP", "", ""},
              {"maxlog", Whole(1, 30), "22", "", "largest message: 2 to the power of it, in bytes"},
              {"tool", OneOf({"imb", "netpipe"}), "imb", "", "Intel MPI Benchmarks, or NetPIPE"},
              {"network", Text(), "", "", "CIDR or interface that MPI uses; else it chooses"},
              {"timeout", Whole(1, 86400), "600", "s", "then mpirun ends it"},
              {"mpirunArgs", Texts(), "", "", "more options of mpirun"},
              SshPort(),
          })};
}

}  // namespace twofold::spec::kinds
