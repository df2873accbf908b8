#include "cli/channel/channel.h"

#include <algorithm>
#include <utility>

#include "lib/common/contacts.h"
#include "lib/h2/metadata.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/route_dialer.h"

namespace twofold::cli {
namespace {

constexpr int kKeepaliveMs = 20'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
// How often who waits for a connection looks whether another channel is due.
constexpr Duration kSlice = std::chrono::milliseconds(100);
constexpr Duration kPauseOfLaterChannels = std::chrono::seconds(1);

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
                                       Duration first_pause) {
  const std::string proxy = security.ProxyTo(FirstContact(address));
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  SetProxy(arguments, proxy);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(
      GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(first_pause).count()));
  arguments.SetMaxReceiveMessageSize(rpc::kMaxMessageBytes);
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

Redialed::Redialed(std::string address, security::Client security)
    : address_(std::move(address)), security_(std::move(security)) {}

std::shared_ptr<grpc::Channel> Redialed::Channel() {
  auto tls = security_.Tls();
  const Instant now = Now();
  const MutexLock lock(mutex_);
  if (channel_ != nullptr && tls == tls_ && IsOfUse(now)) return channel_;
  tls_ = std::move(tls);
  // A server that is away hears from us no more often than from one channel.
  channel_ = channel_ == nullptr ? Connect(address_, security_)
                                 : Connect(address_, security_, kPauseOfLaterChannels);
  last_good_ = now;
  return channel_;
}

// Who calls seldom has not seen how long it was away, and gets a new one at once.
bool Redialed::IsOfUse(Instant now) {
  if (channel_->GetState(false) == GRPC_CHANNEL_READY) last_good_ = now;
  return now - last_good_ < rpc::kConnectPatience;
}

std::shared_ptr<grpc::Channel> Redialed::Connected(Duration timeout) {
  const Instant end = Now() + timeout;
  for (;;) {
    auto channel = Channel();
    const Duration left = end - Now();
    const auto slice = std::chrono::duration_cast<std::chrono::milliseconds>(std::min(left, kSlice));
    if (channel->WaitForConnected(std::chrono::system_clock::now() + slice)) return channel;
    if (left <= kSlice) return nullptr;
  }
}

RouteChannels::RouteChannels(const std::string& first, security::Client security)
    : security_(std::move(security)), first_(first, security_) {}

Redialed& RouteChannels::Of(const rpc::Dial& dial) {
  if (!dial.named) return first_;
  if (named_ == nullptr || named_address_ != dial.address) {
    named_ = std::make_unique<Redialed>(dial.address, rpc::SecurityFor(dial, security_));
    named_address_ = dial.address;
  }
  return *named_;
}

}  // namespace twofold::cli
