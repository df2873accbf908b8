#include "lib/suite/spec.h"
#include "suites/pytorch/pytorch.h"
#include "suites/pytorch/spec.pb.h"

namespace twofold::suite::pytorch {

Result<std::uint32_t> Check(std::string_view json) {
  const auto spec = ReadByRules<v1::suites::PyTorchSpec>(json);
  if (!spec.ok()) return spec.status();
  if (spec->model() == "llama" && spec->benchmark_type() == "train") {
    return Wrong("model", "llama cannot be trained: benchmarkType: eval");
  }
  return Workers(*spec);
}

}  // namespace twofold::suite::pytorch
