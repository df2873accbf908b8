#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind Media() {
  return {"Media",
          "media",
          true,
          {.fixed = 1},
          WithCommon({
              Required({"input", Text(), "", "", "the video to transcode"}),
              {"outputs", AnyList(), "", "", "one for each video to make"},
              {"frames", Whole(1), "", "", "stop after so many"},
              {"device", Text(), "", "", "what transcodes, such as /dev/dri/renderD128"},
          })};
}

}  // namespace twofold::spec::kinds
