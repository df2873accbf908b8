#include "lib/spec/kinds/kinds.h"

namespace twofold::spec {

std::span<const Kind> Kinds() {
  static const std::vector<Kind> all = {
      kinds::IPerf(),   kinds::MpiPingPong(),   kinds::Osu(),           kinds::Fio(),
      kinds::Media(),   kinds::OpenFoam(),      kinds::RdmaBandwidth(), kinds::RdmaLatency(),
      kinds::PyTorch(), kinds::ObjectStorage(),
  };
  return all;
}

}  // namespace twofold::spec
