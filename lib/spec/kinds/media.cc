#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind Media() {
  return {"Media",
          "media",
          true,
          {.fixed = 1},
          WithCommon({
              {"tool", OneOf({"ffmpeg", "sample_multi_transcode"}), "ffmpeg", "", ""},
              {"input", Text(), "", "", "the video to transcode, or lavfi:GRAPH"},
              {"inputs", AnyList(), "", "", "several, each with path, device, codec"},
              {"outputs", AnyList(), "", "", "one for each video to make; else one, thrown away"},
              {"frames", Whole(0, 1000000000), "0", "", "of each output at most; 0: all"},
              {"device", Text(), "", "", "what transcodes, such as /dev/dri/renderD128"},
          })};
}

}  // namespace twofold::spec::kinds
