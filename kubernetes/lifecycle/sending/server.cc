#include "kubernetes/lifecycle/sending/server.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kubernetes/api/call.h"
#include "lib/common/printable.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kLongestFlowName = 100;
const char* const kFlowGroup = "flowcontrol.apiserver.k8s.io";

using FlowNames = std::map<std::string, std::string>;  // by uid

/// Empty if the server does not tell: it takes a right that few have.
FlowNames NamesOf(kube::Connection& connection, const std::string& plural) {
  const kube::Resource resource{kFlowGroup, "v1", plural, "", false};
  const auto reply = connection.Do(kube::ListPage({resource, ""}, {}));
  FlowNames names;
  if (!reply.ok()) return names;
  const kube::Json* const items = kube::At(reply->body, "/items");
  if (items == nullptr || !items->is_array()) return names;
  for (const kube::Json& each : *items) {
    names[kube::TextAt(each, "/metadata/uid")] = kube::TextAt(each, "/metadata/name");
  }
  return names;
}

std::string NameIn(const FlowNames& names, const std::string& uid) {
  const auto found = names.find(uid);
  return Printable(found == names.end() ? uid : found->second, kLongestFlowName);
}

}  // namespace

Result<std::string> ServerVersion(kube::Connection& connection) {
  constexpr std::size_t kLongest = 100;
  kube::Call call;
  call.method = "GET";
  call.target = "/version";
  call.what = "ask for the server's version";
  const auto reply = connection.Do(call);
  if (!reply.ok()) return reply.status();
  const std::string version = Printable(kube::TextAt(reply->body, "/gitVersion"), kLongest);
  if (!version.empty()) return version;
  return absl::DataLossError("/version: this is no API server of Kubernetes");
}

bool IsExempt(kube::Connection& connection) {
  kube::Call call;
  call.method = "POST";
  call.target = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  call.content_type = "application/json";
  call.body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
  call.what = "ask who we are";
  const auto reply = connection.Do(call);
  if (!reply.ok()) return false;
  const kube::Json* const groups = kube::At(reply->body, "/status/userInfo/groups");
  return groups != nullptr && groups->is_array() &&
         std::find(groups->begin(), groups->end(), "system:masters") != groups->end();
}

std::string DescribeFlows(kube::Connection& connection,
                          const std::map<kube::Flow, std::uint64_t>& flows) {
  const FlowNames levels = NamesOf(connection, "prioritylevelconfigurations");
  const FlowNames schemas = NamesOf(connection, "flowschemas");
  std::vector<std::pair<kube::Flow, std::uint64_t>> sorted(flows.begin(), flows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  std::vector<std::string> words;
  for (const auto& [flow, count] : sorted) {
    words.push_back(absl::StrCat(count, " by priority level ", NameIn(levels, flow.priority_level),
                                 " (flow schema ", NameIn(schemas, flow.schema), ")"));
  }
  return absl::StrJoin(words, ", ");
}

}  // namespace twofold::lifecycle
