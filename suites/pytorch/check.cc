#include "lib/suite/spec.h"
#include "suites/pytorch/pytorch.h"
#include "suites/pytorch/spec.pb.h"

namespace twofold::suite::pytorch {

Result<std::uint32_t> Check(std::string_view json) {
  using Spec = v1::suites::PyTorchSpec;
  return Workers(ReadByRules<Spec>(json, [](const Spec& spec) {
    const bool trains_llama = spec.model() == "llama" && spec.benchmark_type() == "train";
    return trains_llama ? Wrong("model", "llama cannot be trained: benchmarkType: eval")
                        : absl::OkStatus();
  }));
}

}  // namespace twofold::suite::pytorch
