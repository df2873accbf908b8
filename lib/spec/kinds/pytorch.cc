#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {
namespace {

std::string_view Conflict(const Node& spec) {
  const auto* model = Get<std::string>(spec, "model");
  const auto* type = Get<std::string>(spec, "benchmarkType");
  const bool trained = type != nullptr && *type == "train";
  return trained && *model == "llama" ? "model llama cannot be trained: benchmarkType: eval" : "";
}

}  // namespace

Kind PyTorch() {
  return {"PyTorch",
          "pytorch",
          false,
          {.fixed = 1},
          WithCommon({
              Required({"model", OneOf({"alexnet", "resnet50", "llama"}), "", "", ""}),
              {"device", OneOf({"cpu", "cuda"}), "cpu", "", ""},
              {"benchmarkType", OneOf({"train", "eval"}), "eval", "", ""},
              {"inputBatchSize", Whole(2, kNoLimit, 2), "64", "", "even"},
          }),
          false,
          Conflict};
}

}  // namespace twofold::spec::kinds
