#include "backend/benchmark/tool_versions.h"

#include <chrono>
#include <utility>

#include "backend/workload/after.h"
#include "lib/suite/text.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

constexpr Duration kLimit = std::chrono::seconds(5);

}  // namespace

ToolVersions::~ToolVersions() {
  for (const auto& [path, tool] : tools_) {
    if (tool.process) tool.process->Abandon();
  }
}

void ToolVersions::Ask(const std::string& path, OnVersion on_version) {
  const char* const argument = suite::VersionArgument(path);
  if (argument == nullptr) return on_version({});
  Tool& tool = tools_[path];
  if (tool.version) return on_version(*tool.version);
  if (tool.process) return tool.waiting.push_back(std::move(on_version));
  auto process = process::Process::Start(io_, reaper_, {.argv = {path, argument}, .null_in = true},
                                         {.ended = [this, &tool](const process::ProgramEnd& end) {
                                           Answer(tool, suite::VersionIn(end.output));
                                         }});
  if (!process.ok()) return on_version({});
  tool.process = *std::move(process);
  tool.waiting.push_back(std::move(on_version));
  tool.limit = std::make_unique<boost::asio::steady_timer>(io_);
  After(*tool.limit, kLimit, std::weak_ptr(tool.process),
        [](process::Process& asked) { asked.Stop(); });
}

void ToolVersions::Answer(Tool& tool, const std::string& version) {
  tool.version = version;
  tool.process.reset();
  tool.limit.reset();
  for (const OnVersion& on_version : std::exchange(tool.waiting, {})) on_version(version);
}

}  // namespace twofold::backend
