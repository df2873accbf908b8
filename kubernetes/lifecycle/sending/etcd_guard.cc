#include "kubernetes/lifecycle/sending/etcd_guard.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostMetrics = 64 << 20;
constexpr Duration kMetricsPatience = std::chrono::seconds(20);
constexpr double kMebibyte = 1 << 20;

// The name since Kubernetes 1.28, and those before.
constexpr std::array<std::string_view, 3> kNames = {"apiserver_storage_size_bytes",
                                                    "apiserver_storage_db_total_size_in_bytes",
                                                    "etcd_db_total_size_in_bytes"};

/// The value of "NAME{labels} VALUE", if the name is one of ours.
std::optional<std::uint64_t> SizeIn(std::string_view line) {
  const std::string_view name = line.substr(0, line.find_first_of("{ "));
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return std::nullopt;
  const std::size_t labels = line.rfind('}');
  std::string_view rest = line.substr(labels == std::string_view::npos ? name.size() : labels + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  double value = 0.0;
  const bool is_size = absl::SimpleAtod(std::string(rest.substr(0, rest.find(' '))), &value) &&
                       value >= 0.0 && value < 1e18;
  return is_size ? std::optional(static_cast<std::uint64_t>(value)) : std::nullopt;
}

kube::Call MetricsCall() {
  kube::Call call;
  call.method = "GET";
  call.target = "/metrics";
  call.accept = "text/plain";
  call.what = "read the API server's metrics";
  return call;
}

/// Whether asking again cannot help.
bool IsClosed(const Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsNotFound(status) ||
         absl::IsUnauthenticated(status);
}

}  // namespace

void EtcdSizeReader::Read(std::string_view bytes) {
  lines_.Append(bytes, [this](const std::string& line, bool) {
    const auto size = SizeIn(line);
    if (size) bytes_ = std::max(*size, bytes_.value_or(0));
  });
}

// The answer is text, and may be longer than one wants to keep: it is read as a stream is.
Result<std::uint64_t> ReadEtcdSize(kube::Connection& connection) {
  const auto begun = connection.OpenStream(MetricsCall());
  if (!begun.ok()) return begun.status();
  const Instant deadline = Now() + kMetricsPatience;
  EtcdSizeReader metrics;
  for (std::size_t all = 0; all < kMostMetrics && Now() < deadline;) {
    std::string bytes;
    const auto read = connection.ReadStream(bytes, deadline - Now());
    if (!read.ok()) return read.status();
    if (!*read) break;
    all += bytes.size();
    metrics.Read(bytes);
  }
  if (metrics.bytes()) return *metrics.bytes();
  return absl::NotFoundError(
      absl::StrCat("the API server's metrics have no ", std::string(kNames.front())));
}

Status CheckRoom(std::uint64_t bytes, const EtcdLimits& limits) {
  const double quota = static_cast<double>(limits.quota);
  if (static_cast<double>(bytes) < limits.stop_at * quota) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "etcd's store has %.0f MiB, more than %.0f %% of --etcd-quota %.0f MiB: nothing more is "
      "created, as past the quota every write of the cluster fails; remove objects, compact and "
      "defragment etcd, or give its true quota",
      static_cast<double>(bytes) / kMebibyte, limits.stop_at * 100.0, quota / kMebibyte));
}

Status CheckRoom(kube::Connection& connection, const EtcdLimits& limits) {
  if (limits.quota == 0) return absl::OkStatus();
  const auto bytes = ReadEtcdSize(connection);
  return bytes.ok() ? CheckRoom(*bytes, limits) : absl::OkStatus();
}

EtcdGuard::EtcdGuard(const kube::Access& access, const EtcdLimits& limits,
                     std::function<void()> full)
    : limits_(limits), full_(std::move(full)), connection_(access) {
  if (limits_.quota > 0) thread_ = std::thread([this] { Work(); });
}

EtcdGuard::~EtcdGuard() { Stop(); }

void EtcdGuard::Stop() {
  connection_.Interrupt();
  if (thread_.joinable()) thread_.join();
}

void EtcdGuard::Work() {
  while (Look() && connection_.Sleep(limits_.between)) {
  }
}

/// False: there is nothing more to look for.
bool EtcdGuard::Look() {
  const auto bytes = ReadEtcdSize(connection_);
  if (absl::IsCancelled(bytes.status())) return false;
  const Status room = bytes.ok() ? CheckRoom(*bytes, limits_) : absl::OkStatus();
  {
    MutexLock lock(mutex_);
    blind_ = bytes.status();
    verdict_ = room;
  }
  if (!room.ok()) full_();
  return room.ok() && !IsClosed(bytes.status());
}

Status EtcdGuard::verdict() {
  MutexLock lock(mutex_);
  return verdict_;
}

Status EtcdGuard::blind() {
  MutexLock lock(mutex_);
  return blind_;
}

}  // namespace twofold::lifecycle
