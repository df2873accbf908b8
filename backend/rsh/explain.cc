#include "backend/rsh/explain.h"

namespace twofold::rsh {

int ExitCodeOf(const v1::ExecExit& exit) {
  if (!exit.error().empty()) return kOwnFailure;
  return exit.signal() != 0 ? 128 + exit.signal() : exit.code();
}

std::string Explain(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return "refused: its worker does not run this attempt, not yet or not any more";
    case absl::StatusCode::kOk:
      return "its worker ended the stream before the command";
    default:
      return std::string(status.message());
  }
}

}  // namespace twofold::rsh
