// What there is to know of a cluster.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/local/cluster.h"
#include "lib/common/match.h"

namespace twofold::local {

bool IsSettled(const DeploymentStatus& deployment) {
  return deployment.at("ready") == deployment.at("replicas") && deployment.at("terminating") == 0;
}

// Names are hinted at in the way in which `name` is given.
Result<std::size_t> Cluster::NumberOf(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const Member& member : members_) {
    if (IsCalled(member.spec.name, name)) return names.size();
    names.push_back(member.spec.name);
    const bool is_short = !name.starts_with(kNamePrefix);
    if (is_short && names.back().starts_with(kNamePrefix)) {
      names.back().remove_prefix(kNamePrefix.size());
    }
  }
  return absl::NotFoundError(absl::StrCat("no deployment '", name, "'", Hint(name, names)));
}

std::vector<const Cluster::Member*> Cluster::OfKind(Kind kind) const {
  std::vector<const Member*> found;
  for (const Member& member : members_) {
    if (member.spec.kind == kind) found.push_back(&member);
  }
  return found;
}

nlohmann::ordered_json Cluster::Snapshot() const {
  auto all = nlohmann::ordered_json::array();
  for (const Member& member : members_) all.push_back(StatusOf(member));
  return all;
}

Result<DeploymentStatus> Cluster::Find(const std::string& name) const {
  const Result<std::size_t> number = NumberOf(name);
  if (!number.ok()) return number.status();
  return StatusOf(members_[*number]);
}

Result<DeploymentStatus> Cluster::FindService(const std::string& name) const {
  const std::vector<const Member*> frontends = OfKind(Kind::kFrontend);
  if (frontends.size() < 2 || !IsCalled(kFrontendName, name)) return Find(name);
  const auto serves = std::find_if(frontends.begin(), frontends.end(),
                                   [this](const Member* each) { return Ready(*each) > 0; });
  return StatusOf(serves == frontends.end() ? *frontends.front() : **serves);
}

void Cluster::SetRegistrations(std::uint64_t generation, Registrations registrations) {
  if (generation == generation_) registrations_ = std::move(registrations);
}

std::vector<std::string> Cluster::FrontendsHttp() const {
  std::vector<std::string> all;
  for (const Member* frontend : OfKind(Kind::kFrontend)) {
    const auto http = frontend->addresses.find("http");
    if (http == frontend->addresses.end()) return {};
    all.push_back(http->second);
  }
  return all;
}

DeploymentStatus Cluster::StatusOf(const Member& member) const {
  std::vector<pid_t> pids;
  for (const auto& [replica, process] : member.processes) pids.push_back(process.pid);
  return {{"name", member.spec.name},
          {"kind", ToString(member.spec.kind)},
          {"queue", member.spec.queue},
          {"replicas", member.deployment.desired()},
          {"running", member.deployment.running()},
          {"ready", Ready(member)},
          {"terminating", member.deployment.terminating()},
          {"waiting", member.deployment.waiting()},
          {"held", member.deployment.held()},
          {"restarts", member.deployment.restarts()},
          {"last_exit", member.last_exit},
          {"addresses", member.addresses},
          {"pids", pids}};
}

// One that is ending may be registered still, so it is taken off: rather too few than too many.
int Cluster::Ready(const Member& member) const {
  if (member.spec.kind != Kind::kBackend) {
    return static_cast<int>(std::count_if(
        member.processes.begin(), member.processes.end(),
        [](const auto& entry) { return entry.second.serving && !entry.second.ending; }));
  }
  const auto registered = registrations_.find(member.spec.queue);
  if (registered == registrations_.end()) return 0;
  return std::clamp(registered->second - member.deployment.terminating(), 0,
                    member.deployment.running());
}

}  // namespace twofold::local
