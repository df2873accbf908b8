#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "suites/object_storage/object_storage.h"

namespace twofold::suite::object_storage {
namespace {

using Spec = v1::suites::ObjectStorageSpec;

// Below the ports that systems give to outgoing connections.
constexpr std::uint32_t kFirstPort = 20'000;
constexpr std::uint32_t kPorts = 10'000;

// Where the loaders of a gang meet. Two gangs whose leaders share a host do not get in each other's
// way, nor do two attempts: the name is of one attempt. The hash is FNV-1a.
std::uint32_t BarrierPort(const Gang& gang) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char letter : gang.name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16'777'619U;
  }
  return kFirstPort + hash % kPorts;
}

std::string JsonOf(const Spec& spec) {
  std::string json;
  static_cast<void>(google::protobuf::util::MessageToJsonString(spec, &json));
  return json;
}

// An address of IPv6 stands in brackets before a port.
std::string Endpoint(const std::string& host, std::uint32_t port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

RankPlan PlanOf(Spec spec, const Gang& gang, std::size_t rank) {
  RankPlan plan;
  for (const std::string* path : {&spec.filelist(), &spec.tokenfile(), &spec.cafile()}) {
    if (!path->empty()) plan.paths.push_back(*path);
  }
  Stage stage{.name = "objects", .argv = {"twofold-objects"}};
  if (gang.members.size() > 1) {
    spec.set_loaderid(absl::StrCat(rank));
    const std::string& leader = gang.members.front().address;
    stage.argv.push_back(absl::StrCat("--barrier=", Endpoint(leader, BarrierPort(gang))));
  }
  stage.argv.push_back(JsonOf(spec));
  plan.stages.push_back(std::move(stage));
  return plan;
}

}  // namespace

GangPlan Plan(const Spec& spec, const Gang& gang) {
  GangPlan plan;
  // Each has its report.
  plan.ending = Ending::kEveryRank;
  for (std::size_t rank = 0; rank < gang.members.size(); ++rank) {
    plan.ranks.push_back(PlanOf(spec, gang, rank));
  }
  return plan;
}

}  // namespace twofold::suite::object_storage
