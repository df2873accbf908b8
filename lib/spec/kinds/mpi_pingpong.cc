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
              SshPort(),
          })};
}

}  // namespace twofold::spec::kinds
