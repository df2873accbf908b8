#include "frontend/streams/checks.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>

namespace twofold::frontend {
namespace {

constexpr std::uint32_t kMaxSlots = 100'000;
constexpr std::uint32_t kMaxPort = 65'535;

Status CheckLines(const v1::Hello& hello) {
  for (const auto& [name, value] : hello.labels()) {
    if ((name + value).find('\n') == std::string::npos) continue;
    return absl::InvalidArgumentError("hello.labels has one of more than one line");
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckHello(const v1::Hello& hello) {
  if (hello.process_key() == 0) {
    return absl::InvalidArgumentError("hello.process_key is 0; choose a random number");
  }
  if (hello.slots() < 1 || hello.slots() > kMaxSlots) {
    return absl::InvalidArgumentError(
        absl::StrCat("hello.slots is ", hello.slots(), "; allowed are 1 to ", kMaxSlots));
  }
  if (hello.peers_port() > kMaxPort) {
    return absl::InvalidArgumentError(
        absl::StrCat("hello.peers_port is ", hello.peers_port(), "; allowed are 0 to ", kMaxPort));
  }
  if (hello.held_jobs_size() != hello.held_attempts_size()) {
    return absl::InvalidArgumentError(absl::StrCat("hello.held_attempts has ",
                                                   hello.held_attempts_size(), " entries for ",
                                                   hello.held_jobs_size(), " in held_jobs"));
  }
  return CheckLines(hello);
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
