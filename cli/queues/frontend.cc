#include "cli/queues/frontend.h"

#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <utility>

#include "cli/channel/channel.h"
#include "cli/local/remote.h"
#include "cli/queues/call.h"
#include "lib/common/contacts.h"
#include "lib/security/client.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

constexpr const char* kStandard = "localhost:9997";
constexpr const char* kVariable = "TWOFOLD_FRONTEND";

// Of the local cluster; empty if there is none.
Result<std::string> LocalFrontend(const std::string& dir) {
  const auto remote = local::Remote::Find(local::StateFolder(local::StateFolder::Locate(dir)));
  if (absl::IsPermissionDenied(remote.status())) return remote.status();
  if (!remote.ok()) return "";
  return remote->FrontendAddress().value_or("");
}

std::chrono::system_clock::time_point After(Duration timeout) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
}

}  // namespace

// A local cluster asks for no token, and whoever has written its folder shall not get ours.
Frontend::Frontend(const Globals& globals)
    : address_(globals.frontend), security_(security::Client::Open(globals.security)) {
  if (address_.empty()) TakeVariable();
  if (address_.empty()) {
    const Result<std::string> local = LocalFrontend(globals.dir);
    const bool is_local = local.ok() && !local->empty();
    address_ = is_local ? *local : kStandard;
    source_ = is_local ? "that of the local cluster" : "";
    if (!local.ok()) security_ = local.status();
    if (is_local && security_.ok()) security_ = security_->WithoutToken();
  }
  if (security_.ok()) dialer_ = std::make_unique<RouteChannels>(address_, *security_);
}

Frontend::~Frontend() = default;

void Frontend::TakeVariable() {
  const char* const value = std::getenv(kVariable);
  if (value == nullptr || *value == '\0') return;
  address_ = value;
  source_ = absl::StrCat("that of $", kVariable);
  if (const std::string why = Contacts()(address_); !why.empty()) {
    security_ = absl::InvalidArgumentError(absl::StrCat("$", kVariable, ": ", why));
  }
}

void Frontend::Prepare(grpc::ClientContext& context, Duration timeout) const {
  Authorize(context, *security_);
  if (timeout > Duration::zero()) context.set_deadline(After(timeout));
}

Result<v1::ListWorkersReply> Frontend::ListWorkers(const v1::WorkersRequest& request) const {
  return Call<v1::Admin>(&v1::Admin::Stub::ListWorkers, request);
}

Result<v1::ListWorkersReply> Frontend::DrainWorkers(const v1::WorkersRequest& request) const {
  return Call<v1::Admin>(&v1::Admin::Stub::DrainWorkers, request);
}

Result<v1::ListJobsReply> Frontend::ListJobs(const v1::ListJobsRequest& request) const {
  return Call<v1::Clients>(&v1::Clients::Stub::ListJobs, request);
}

Result<v1::Job> Frontend::GetJob(const v1::GetJobRequest& request) const {
  return Call<v1::Clients>(&v1::Clients::Stub::GetJob, request);
}

Result<v1::CancelRunReply> Frontend::CancelRun(const v1::CancelRunRequest& request,
                                               Duration timeout) const {
  return Call<v1::Results>(&v1::Results::Stub::CancelRun, request, timeout);
}

Status Frontend::Requeue(v1::RequeueJobsRequest request, v1::RequeueJobsReply& reply) const {
  constexpr std::chrono::minutes kPageWithin{1};
  do {
    const auto page = Call<v1::Clients>(&v1::Clients::Stub::RequeueJobs, request, kPageWithin);
    if (!page.ok()) return page.status();
    reply.MergeFrom(*page);
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return absl::OkStatus();
}

bool Frontend::WaitUntilConnected(Duration timeout) const {
  return dialer_ != nullptr && dialer_->Of({.address = address_}).Connected(timeout) != nullptr;
}

Status Frontend::Explain(const grpc::Status& status) const {
  const Status plain = FromGrpc(status);
  const bool answers =
      dialer_->Of({.address = address_}).Channel()->GetState(false) == GRPC_CHANNEL_READY;
  if (plain.code() == absl::StatusCode::kUnavailable && !answers) {
    const std::string tls = security::DiagnoseTls(FirstContact(address_), *security_);
    return absl::UnavailableError(absl::StrCat(
        "no frontend answers at ", address_, source_.empty() ? "" : ", ", source_, " (",
        tls.empty() ? "start a cluster with `twofold local up`, or give --frontend HOST:PORT" : tls,
        ")"));
  }
  if (plain.code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::DeadlineExceededError(
        absl::StrCat("the frontend at ", address_, " did not answer in time"));
  }
  return plain;
}

Status Frontend::ExplainNamed(const grpc::Status& status, const std::string& address) const {
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return Explain(status);
  return absl::UnavailableError(
      absl::StrCat("no frontend answers at ", address, ", which is said to serve the queue"));
}

}  // namespace twofold::cli
