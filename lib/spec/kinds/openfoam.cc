#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind OpenFoam() {
  return {"OpenFOAM",
          "openfoam",
          false,
          {.members = "numNodes"},
          WithCommon({
              {"transport", Transport(), "TCP", "", ""},
              {"problemSize", OneOf({"S", "M", "XL", "XXL"}), "S", "", "the lid-driven cavity"},
              {"iterativeMethod",
               OneOf({"fixedITER", "fixedNORM", "FOAM-DIC-PCG.fixedNORM", "FOAM-GAMG-PCG.fixedNORM",
                      "PETSc-AMG-CG.fixedNORM", "PETSc-AMG-CG.fixedNORM.caching",
                      "PETSc-ICC-CG.fixedNORM"}),
               "fixedNORM", "", "how the equations are solved"},
              {"numProcs", Whole(1), "1", "", "MPI ranks in all"},
              {"numNodes", Whole(1), "1", "", "workers that they are spread over"},
              SshPort(),
          })};
}

}  // namespace twofold::spec::kinds
