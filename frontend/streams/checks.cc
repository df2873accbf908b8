#include "frontend/streams/checks.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

Status CheckSize(const std::string& field, std::size_t size, std::size_t most,
                 const char* unit = "bytes") {
  if (size <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has ", size, " ", unit, "; at most ", most, " are allowed"));
}

Status CheckLabels(const v1::Hello& hello) {
  Status status = CheckSize("hello.labels", static_cast<std::size_t>(hello.labels_size()),
                            rpc::kMaxLabels, "entries");
  for (const auto& [name, value] : hello.labels()) {
    status.Update(CheckSize("a name in hello.labels", name.size(), rpc::kMaxNameBytes));
    status.Update(CheckSize("a value in hello.labels", value.size(), rpc::kMaxNameBytes));
    if ((name + value).find('\n') != std::string::npos) {
      status.Update(absl::InvalidArgumentError("hello.labels has one of more than one line"));
    }
  }
  return status;
}

Status CheckProgress(const v1::Progress& progress) {
  if (!(progress.fraction() >= 0 && progress.fraction() <= 1)) {  // NaN is neither
    return absl::InvalidArgumentError(
        absl::StrCat("progress.fraction is ", progress.fraction(), "; allowed are 0 to 1"));
  }
  return CheckSize("progress.line", progress.line().size(), rpc::kMaxProgressBytes);
}

}  // namespace

Status CheckNames(const v1::Hello& hello) {
  const std::pair<const char*, const std::string&> names[] = {{"hello.node", hello.node()},
                                                              {"hello.pod", hello.pod()},
                                                              {"hello.device", hello.device()},
                                                              {"hello.address", hello.address()}};
  Status status;
  for (const auto& [field, name] : names) {
    status.Update(CheckSize(field, name.size(), rpc::kMaxNameBytes));
  }
  status.Update(CheckLabels(hello));
  return status;
}

Status CheckReports(const v1::WorkerMessage& message) {
  Status status;
  for (const v1::Progress& progress : message.progress()) status.Update(CheckProgress(progress));
  for (const v1::Output& output : message.output()) {
    status.Update(CheckSize("output.data", output.data().size(), rpc::kMaxOutputBytes));
  }
  return status;
}

}  // namespace twofold::frontend
