#include "backend/benchmark/tool_versions.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "lib/common/printable.h"
#include "lib/suite/text.h"

namespace twofold::backend {
namespace {

constexpr Duration kLimit = std::chrono::seconds(5);

constexpr std::size_t kMostVersion = 120;

struct Tool {
  std::string_view name;
  const char* argument;
};
constexpr Tool kTools[] = {
    {"ffmpeg", "-version"},  {"fio", "--version"},    {"iperf", "-v"},
    {"iperf3", "--version"}, {"mpirun", "--version"},
};

}  // namespace

const char* VersionArgument(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto* found = std::find_if(std::begin(kTools), std::end(kTools),
                                   [&](const Tool& tool) { return tool.name == name; });
  return found == std::end(kTools) ? nullptr : found->argument;
}

std::string VersionIn(std::string_view output) {
  for (const std::string_view line : suite::Lines(output)) {
    if (!suite::Strip(line).empty()) return Printable(suite::Strip(line), kMostVersion);
  }
  return {};
}

ToolVersions::~ToolVersions() {
  for (const auto& [path, asked] : asked_) asked.process->Abandon();
}

void ToolVersions::Ask(const std::string& path, OnVersion on_version) {
  const char* const argument = VersionArgument(path);
  if (argument == nullptr) return on_version({});
  if (const auto known = known_.find(path); known != known_.end()) {
    return on_version(known->second);
  }
  const auto asked = asked_.find(path);
  if (asked != asked_.end()) return asked->second.waiting.push_back(std::move(on_version));
  auto process = process::Process::Start(io_, reaper_, {.argv = {path, argument}, .null_in = true},
                                         {.ended = [this, path](const process::ProgramEnd& end) {
                                           Answer(path, VersionIn(end.output));
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
