#include "backend/benchmark/tool_versions.h"

#include <chrono>
#include <utility>

#include "lib/suite/text.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

constexpr Duration kLimit = std::chrono::seconds(5);

}  // namespace

ToolVersions::~ToolVersions() {
  for (const auto& [path, asked] : asked_) asked.process->Abandon();
}

void ToolVersions::Ask(const std::string& path, OnVersion on_version) {
  const char* const argument = suite::VersionArgument(path);
  if (argument == nullptr) return on_version({});
  if (const auto known = known_.find(path); known != known_.end()) {
    return on_version(known->second);
  }
  const auto asked = asked_.find(path);
  if (asked != asked_.end()) return asked->second.waiting.push_back(std::move(on_version));
  auto process = process::Process::Start(io_, reaper_, {.argv = {path, argument}, .null_in = true},
                                         {.ended = [this, path](const process::ProgramEnd& end) {
                                           Answer(path, suite::VersionIn(end.output));
                                         }});
  if (!process.ok()) return on_version({});
  Asked& entry = asked_[path];
  entry.process = *std::move(process);
  entry.waiting.push_back(std::move(on_version));
  entry.limit = std::make_unique<boost::asio::steady_timer>(io_, kLimit);
  entry.limit->async_wait(
      [weak = std::weak_ptr(entry.process)](const boost::system::error_code& error) {
        if (const auto running = weak.lock(); running && !error) running->Stop();
      });
}

void ToolVersions::Answer(const std::string& path, const std::string& version) {
  const auto node = asked_.extract(path);
  known_.emplace(path, version);
  for (const OnVersion& on_version : node.mapped().waiting) on_version(version);
}

}  // namespace twofold::backend
