#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "backend/rsh/gang_file.h"
#include "backend/rsh/relay.h"
#include "lib/common/printable.h"

namespace twofold::rsh {
namespace {

int Fail(const Status& status) {
  // It may have words of the other side.
  const std::string text = Printable(std::string(status.message()), 4096);
  std::fprintf(stderr, "twofold-rsh: %s\n", text.c_str());
  return kOwnFailure;
}

int Main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  spdlog::set_level(spdlog::level::off);  // what is printed is the command's, or why it cannot run
  Call call;
  if (const auto code = ParseCall(argc, argv, call)) return *code;
  const char* const path = std::getenv(gang::kGangVariable);
  if (path == nullptr) {
    return Fail(absl::FailedPreconditionError(
        "TWOFOLD_GANG is not set: this is no program of a gang's rank 0, or its worker has no "
        "--peers-address"));
  }
  const Result<gang::ReadGangFile> file = gang::Read(path);
  if (!file.ok()) return Fail(file.status());
  const Result<std::uint32_t> rank = gang::FindMember(file->gang.roster, call.host);
  if (!rank.ok()) return Fail(rank.status());
  Run(*file, *rank, call);
}

}  // namespace
}  // namespace twofold::rsh

int main(int argc, char** argv) { return twofold::rsh::Main(argc, argv); }
