#include "frontend/access.h"

#include <algorithm>
#include <array>

#include "frontend/web/web.h"

namespace twofold::frontend {
namespace {

using enum security::Role;
using security::Roles;

constexpr Roles kSubmitters = {kClient, kAdmin};
constexpr Roles kReaders = {kClient, kAdmin, kReadOnly};
constexpr Roles kLookers = {kAdmin, kReadOnly};
constexpr Roles kWorkers = {kWorker, kAdmin};
constexpr Roles kAdmins = {kAdmin};
constexpr Roles kAnybody = {kClient, kWorker, kAdmin, kReadOnly};

struct Rule {
  std::string_view method;
  Roles roles;
};

constexpr std::array kRules = {
    Rule{"/twofold.v1.Clients/Submit", kSubmitters},
    Rule{"/twofold.v1.Clients/SubmitJob", kSubmitters},
    Rule{"/twofold.v1.Clients/CancelJob", kSubmitters},
    Rule{"/twofold.v1.Clients/RequeueJobs", kSubmitters},
    Rule{"/twofold.v1.Clients/GetJob", kReaders},
    Rule{"/twofold.v1.Clients/ListJobs", kReaders},
    Rule{"/twofold.v1.Clients/ExplainJob", kReaders},
    Rule{"/twofold.v1.Clients/FollowJob", kReaders},
    Rule{"/twofold.v1.Results/CreateRun", kSubmitters},
    Rule{"/twofold.v1.Results/AttendRun", kSubmitters},
    Rule{"/twofold.v1.Results/CancelRun", kSubmitters},
    Rule{"/twofold.v1.Results/DeleteRun", kAdmins},
    Rule{"/twofold.v1.Results/ExportRun", kReaders},
    Rule{"/twofold.v1.Results/ListRuns", kReaders},
    Rule{"/twofold.v1.Results/GetRun", kReaders},
    Rule{"/twofold.v1.Results/RunResults", kReaders},
    Rule{"/twofold.v1.Results/GetArtifact", kReaders},
    Rule{"/twofold.v1.Workers/Work", kWorkers},
    Rule{"/twofold.v1.Frontends/ListFrontends", kLookers},
    Rule{"/twofold.v1.Frontends/DrainFrontend", kAdmins},
    Rule{"/twofold.v1.Frontends/MoveQueue", kAdmins},
    Rule{"/twofold.v1.Frontends/AcceptLoss", kAdmins},
    Rule{"/twofold.v1.Frontends/LookAgain", kAnybody},
    Rule{"/twofold.v1.Frontends/LendWorkers", kAdmins},
    Rule{"/twofold.v1.Admin/ListQueues", kLookers},
    Rule{"/twofold.v1.Admin/PauseQueue", kAdmins},
    Rule{"/twofold.v1.Admin/ResumeQueue", kAdmins},
    Rule{"/twofold.v1.Admin/DrainQueue", kAdmins},
    Rule{"/twofold.v1.Admin/ListWorkers", kLookers},
    Rule{"/twofold.v1.Admin/PauseWorkers", kAdmins},
    Rule{"/twofold.v1.Admin/ResumeWorkers", kAdmins},
    Rule{"/twofold.v1.Admin/DrainWorkers", kAdmins},
    // KEDA can show a certificate, and no token.
    Rule{"/externalscaler.ExternalScaler/IsActive", Roles::Open()},
    Rule{"/externalscaler.ExternalScaler/StreamIsActive", Roles::Open()},
    Rule{"/externalscaler.ExternalScaler/GetMetricSpec", Roles::Open()},
    Rule{"/externalscaler.ExternalScaler/StreamMetricSpec", Roles::Open()},
    Rule{"/externalscaler.ExternalScaler/GetMetrics", Roles::Open()},
};

const Rule* Find(std::string_view method) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(),
                                   [&](const Rule& rule) { return method == rule.method; });
  return found == kRules.end() ? nullptr : found;
}

}  // namespace

bool HasAccessRule(std::string_view method) { return Find(method) != nullptr; }

Roles RolesOfMethod(std::string_view method) {
  const Rule* rule = Find(method);
  return rule == nullptr ? kAdmins : rule->roles;
}

Roles RolesOfPage(const http::Request& request) {
  if (request.path == "/healthz" || request.path == "/readyz") return Roles::Open();
  if (http::IsForApp(AppFiles(), request)) return Roles::Open();
  const bool reads = request.method == "GET" || request.method == "HEAD";
  return reads ? kLookers : kAdmins;
}

}  // namespace twofold::frontend
