#include "kubernetes/controller/writer.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>

namespace twofold::controller {

Status WriteIfThere(Writer& writer, const kube::Call& call) {
  Status status = writer.Write(call).status();
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

void EventTeller::Tell(Writer& writer, const kube::Json& object, const Happening& what, Instant now,
                       kube::UnixTime wall) {
  std::optional<kube::Call> call;
  {
    const MutexLock lock(mutex_);
    call = book_.Tell(object, what, now, wall);
  }
  if (!call) return;
  const Status told = writer.Write(*call).status();
  if (!told.ok() && !absl::IsAlreadyExists(told)) {
    spdlog::debug("event: {}", std::string(told.message()));
  }
}

}  // namespace twofold::controller
