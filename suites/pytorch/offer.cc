#include <absl/strings/str_cat.h>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/pytorch/pytorch.h"
#include "suites/pytorch/report.pb.h"

namespace twofold::suite::pytorch {

Result<Labels> Offer(const StageOutput& probe) {
  v1::suites::PyTorchOffer found;
  const std::string_view json = JsonLine(probe.out);
  if (json.empty() || !ReadJson(json, found).ok()) {
    const std::string end = BadEnd(probe);
    return ToolFailed("twofold-pytorch", end.empty() ? "it does not say what is here" : end);
  }
  if (!found.error().empty()) return absl::NotFoundError(found.error());
  Labels labels = {{"pytorch.version", found.torch()}};
  if (!found.torchvision().empty()) labels["pytorch.torchvision"] = found.torchvision();
  for (const auto& device : found.devices()) {
    labels[absl::StrCat("pytorch.", device.kind())] = device.name();
  }
  if (found.torchbench()) labels["pytorch.torchbench"] = "true";
  return labels;
}

}  // namespace twofold::suite::pytorch
