#include "backend/suites/suites.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "backend/suites/command/command.h"
#include "backend/suites/sleep/sleep.h"

namespace twofold::backend {
namespace {

using MadeWorkload = Result<std::unique_ptr<Workload>>;

MadeWorkload MakeSleep(boost::asio::io_context& io, const WorkloadOptions& options) {
  if (options.argv.size() != 2) {
    return absl::InvalidArgumentError("sleep: takes one argument, the seconds: -- sleep 0.5");
  }
  const Result<Duration> seconds = ParseSleep(options.argv[1]);
  if (!seconds.ok()) return seconds.status();
  return std::make_unique<Sleep>(io, *seconds);
}

MadeWorkload MakeCommand(boost::asio::io_context& io, const WorkloadOptions& options) {
  if (Status status = CheckExecutable(options.argv[0]); !status.ok()) {
    return Status(status.code(), absl::StrCat("workload ", std::string(status.message())));
  }
  return std::make_unique<Command>(io, Program{options.argv, options.null_in, options.null_out},
                                   options.peers);
}

struct BuiltIn {
  std::string_view name;
  MadeWorkload (*make)(boost::asio::io_context&, const WorkloadOptions&);
};

constexpr BuiltIn kBuiltIns[] = {
    {"sleep", &MakeSleep},
};

}  // namespace

MadeWorkload MakeWorkload(boost::asio::io_context& io, const WorkloadOptions& options) {
  const std::string& name = options.argv.at(0);
  for (const BuiltIn& suite : kBuiltIns) {
    if (suite.name == name) return suite.make(io, options);
  }
  if (name.starts_with('/')) return MakeCommand(io, options);
  return absl::InvalidArgumentError(
      absl::StrCat("workload '", absl::CHexEscape(name),
                   "' is neither a built-in suite (sleep) nor an absolute path"));
}

}  // namespace twofold::backend
