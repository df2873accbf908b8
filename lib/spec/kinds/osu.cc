#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind Osu() {
  return {"OSU",
          "osu",
          true,
          {.members = "ranks", .each = "ranksPerNode"},
          WithCommon({
              Required({"tests", Texts(), "", "", "one after the other, such as osu_latency"}),
              {"ranks", Whole(1), "2", "", "MPI ranks in all"},
              {"ranksPerNode", Whole(1), "1", "", "MPI ranks of one worker"},
              {"iterations", Whole(1), "", "", "each size so often; else the test's own number"},
              {"warmup", Whole(0), "", "", "the same, not measured"},
              {"sizes", Text(), "", "bytes", "MIN:MAX of the messages"},
              {"transport", Transport(), "TCP", "", ""},
              {"timed", Flag(), "false", "", "also the wall time of each test"},
          })};
}

}  // namespace twofold::spec::kinds
