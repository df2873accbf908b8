#include "frontend/kubernetes_options.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/config.h"
#include "kubernetes/api/connection.h"
#include "lib/common/host_name.h"

namespace twofold::frontend {
namespace {

constexpr const char* kAddress = "--metrics-api-address";
constexpr const char* kService = "--metrics-api-service";
constexpr const char* kDeletionCost = "--deletion-cost";

/// Whether Kubernetes takes it for the name of a namespace or Service (RFC 1035).
bool IsLabel(const std::string& text) {
  return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_islower(static_cast<unsigned char>(c)) ||
                  absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-';
         });
}

Result<kube::ObjectName> ReadService(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (parts.size() == 2 && IsLabel(parts[0]) && IsLabel(parts[1])) {
    return kube::ObjectName{parts[0], parts[1]};
  }
  return absl::InvalidArgumentError(
      absl::StrCat(kService, ": '", text.substr(0, 160),
                   "' is no NAMESPACE/NAME, such as monitoring/scalability-tester-frontend"));
}

/// `flag` needs it.
Result<kube::Access> OpenAccess(const char* flag) {
  auto access = kube::OpenAccess(kube::OwnSources());
  if (access.ok()) return access;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": ", std::string(access.status().message())));
}

}  // namespace

Status CheckMetricsApi(const Options& options) {
  const security::ServerOptions& certificate = options.metrics_api_certificate;
  if (options.metrics_api_address.empty()) {
    const bool is_in_vain = !options.metrics_api_service.empty() || !certificate.cert.empty() ||
                            !certificate.key.empty();
    if (!is_in_vain) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("the other --metrics-api options need ", kAddress, ", such as :9443"));
  }
  if (Status status = ReadService(options.metrics_api_service).status(); !status.ok()) {
    return status;
  }
  return security::LoadTls(certificate).status();
}

Result<scalers::MetricsApi::Options> MetricsApiOf(const Options& options) {
  const auto address = ParseAddress(options.metrics_api_address);
  if (!address.ok()) return address.status();
  auto service = ReadService(options.metrics_api_service);
  if (!service.ok()) return service.status();
  auto access = OpenAccess(kAddress);
  if (!access.ok()) return access.status();
  scalers::MetricsApi::Options api{.address = *address,
                                   .service = *std::move(service),
                                   .name = options.name.empty() ? HostName() : options.name,
                                   .access = *std::move(access),
                                   .material = nullptr};
  if (options.metrics_api_certificate.cert.empty()) return api;
  auto opened = security::OpenTls(options.metrics_api_certificate);
  if (!opened.ok()) return opened.status();
  api.material = [files = *std::move(opened)] { return files->Get(); };
  return api;
}

Status CheckDeletionCost(const Options& options) {
  const std::string& space = options.deletion_cost;
  if (space.empty() || IsLabel(space)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(kDeletionCost, ": '", space.substr(0, 160),
                                                 "' is no NAMESPACE, such as monitoring"));
}

Result<scalers::CostWriter::Options> CostWriterOf(const Options& options) {
  auto access = OpenAccess(kDeletionCost);
  if (!access.ok()) return access.status();
  return scalers::CostWriter::Options{.access = *std::move(access), .space = options.deletion_cost};
}

}  // namespace twofold::frontend
