#include "frontend/services/open_calls.h"

#include <absl/strings/str_cat.h>

namespace twofold::frontend {
namespace {

// Without the port: "ipv4:10.0.0.7:53412" and "ipv6:%5B::1%5D:53412".
std::string HostOf(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

}  // namespace

OpenCalls::Place OpenCalls::Enter(const std::string& peer) {
  std::string host = HostOf(peer);
  {
    const MutexLock lock(mutex_);
    std::uint32_t& count = open_[host];
    if (limit_ != 0 && count >= limit_) {
      gate_.Count(security::Reason::kTooMany);
      return nullptr;
    }
    ++count;
  }
  return Place(
      this, [host = std::move(host)](void* self) { static_cast<OpenCalls*>(self)->Leave(host); });
}

void OpenCalls::Leave(const std::string& host) {
  const MutexLock lock(mutex_);
  const auto found = open_.find(host);
  if (--found->second == 0) open_.erase(found);
}

grpc::Status OpenCalls::Refusal() const {
  return {grpc::StatusCode::RESOURCE_EXHAUSTED,
          absl::StrCat("this host has ", limit_,
                       " calls open, as many as it may (twofold-frontend --peer-calls)")};
}

}  // namespace twofold::frontend
