#include "lib/suite/spec.h"
#include "suites/pytorch/pytorch.h"

namespace twofold::suite::pytorch {

using Spec = v1::suites::PyTorchSpec;

Result<Spec> ReadSpec(std::string_view json) {
  return ReadByRules<Spec>(json, [](const Spec& spec) {
    const bool trains_llama = spec.model() == "llama" && spec.benchmark_type() == "train";
    return trains_llama ? Wrong("model", "llama cannot be trained: benchmarkType: eval")
                        : absl::OkStatus();
  });
}

}  // namespace twofold::suite::pytorch
