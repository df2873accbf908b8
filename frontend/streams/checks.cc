#include "frontend/streams/checks.h"

#include <absl/strings/str_cat.h>

#include <string>

namespace twofold::frontend {

Status CheckLines(const v1::Hello& hello) {
  for (const auto& [name, value] : hello.labels()) {
    if ((name + value).find('\n') == std::string::npos) continue;
    return absl::InvalidArgumentError("hello.labels has one of more than one line");
  }
  return absl::OkStatus();
}

Status CheckProgress(const v1::WorkerMessage& message) {
  for (const v1::Progress& progress : message.progress()) {
    if (progress.fraction() >= 0 && progress.fraction() <= 1) continue;  // NaN is neither
    return absl::InvalidArgumentError(
        absl::StrCat("progress.fraction is ", progress.fraction(), "; allowed are 0 to 1"));
  }
  return absl::OkStatus();
}

}  // namespace twofold::frontend
