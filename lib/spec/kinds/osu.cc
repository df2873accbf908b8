#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind Osu() {
  return {"OSU",
          "osu",
          true,
          {.members = "ranks", .each = "ranksPerNode"},
          WithCommon({
              {"tests", Texts(), "", "",
               "one after the other, such as osu_latency; else the list of metrics-operator"},
              {"ranks", Whole(1, 65536), "2", "", "MPI ranks in all"},
              {"ranksPerNode", Whole(1, 1024), "1", "", "MPI ranks of one worker"},
              {"iterations", Whole(0, 100000000), "0", "", "of each size; 0: the test's own"},
              {"warmup", Whole(0, 100000000), "0", "", "the same, not measured"},
              {"sizes", Text(), "", "bytes", "MIN:MAX or MAX of the messages; else the test's own"},
              {"transport", Transport(), "TCP", "", ""},
              {"network", Text(), "", "", "CIDR or interface that MPI uses; else it chooses"},
              {"timeout", Whole(1, 86400), "3600", "s", "of a test, then mpirun ends it"},
              {"extraArgs", Texts(), "", "", "more options of each test"},
              {"mpirunArgs", Texts(), "", "", "more options of mpirun"},
              {"timed", Flag(), "", "", "the wall time of each test is measured always",
               Role::kNoEffect},
          })};
}

}  // namespace twofold::spec::kinds
