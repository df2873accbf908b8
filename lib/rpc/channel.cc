#include "lib/rpc/channel.h"

#include "google/rpc/status_subset.pb.h"
#include "lib/common/contacts.h"
#include "lib/h2/metadata.h"
#include "lib/rpc/limits.h"

namespace twofold::rpc {
namespace {

constexpr int kKeepaliveMs = 20'000;
constexpr int kKeepaliveTimeoutMs = 10'000;

// gRPC tries the addresses of this scheme one after the other.
std::string TargetOf(const std::string& contacts) {
  return contacts.find(',') == std::string::npos ? contacts : "ipv4:" + contacts;
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const security::Client& security) {
  const auto material = security.Tls();
  if (material == nullptr) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({material->ca, material->key, material->cert});
}

// gRPC would ask a proxy of the environment for everybody, this machine too.
void SetProxy(grpc::ChannelArguments& arguments, const std::string& proxy) {
  if (proxy.empty()) {
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  } else {
    arguments.SetString(GRPC_ARG_HTTP_PROXY, proxy);
  }
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const std::string& address, const security::Client& security,
                                       Liveness liveness, Duration first_pause) {
  const std::string proxy = security.ProxyTo(FirstContact(address));
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  SetProxy(arguments, proxy);
  // The kernel knows no more than that the proxy is there.
  if (liveness == Liveness::kPings || !proxy.empty()) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(
      GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(first_pause).count()));
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  if (!security.server_name().empty()) {
    arguments.SetSslTargetNameOverride(security.server_name());
  }
  const std::string target = proxy.empty() ? TargetOf(address) : FirstContact(address);
  return grpc::CreateCustomChannel(target, CredentialsOf(security), arguments);
}

void Authorize(grpc::ClientContext& context, const security::Client& security) {
  const std::string authorization = security.Authorization();
  if (!authorization.empty()) context.AddMetadata("authorization", authorization);
}

Status FromGrpc(const grpc::Status& status) {
  Status converted(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  if (!status.error_details().empty()) {
    converted.SetPayload(h2::kStatusDetails, absl::Cord(status.error_details()));
  }
  return converted;
}

Status FullStatus(const std::string& message, Duration retry_after) {
  google::rpc::RetryInfo info;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(retry_after);
  info.mutable_retry_delay()->set_seconds(seconds.count());
  info.mutable_retry_delay()->set_nanos(static_cast<std::int32_t>((retry_after - seconds).count()));
  google::rpc::Status details;
  details.set_code(grpc::StatusCode::RESOURCE_EXHAUSTED);
  details.set_message(message);
  details.add_details()->PackFrom(info);
  Status status = absl::ResourceExhaustedError(message);
  status.SetPayload(h2::kStatusDetails, absl::Cord(details.SerializeAsString()));
  return status;
}

}  // namespace twofold::rpc
