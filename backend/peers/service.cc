#include "backend/peers/service.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "backend/peers/exec_session.h"
#include "backend/peers/exec_stream.h"
#include "lib/common/address.h"

namespace twofold::backend {
namespace {

const grpc::Status kTooMany{grpc::StatusCode::RESOURCE_EXHAUSTED,
                            "this worker has too many calls of other members open"};
const grpc::Status kEnding{grpc::StatusCode::UNAVAILABLE, "this worker ends"};

}  // namespace

PeersService::PeersService(boost::asio::io_context& io, Members& members, std::string keeper)
    : rpc::Service(v1::Peers::service_full_name()),
      io_(io),
      members_(members),
      keeper_(std::move(keeper)) {
  Serve("Exec", &PeersService::Exec);
  Serve("Collect", &PeersService::Collect);
}

Result<std::unique_ptr<PeersService>> PeersService::Start(boost::asio::io_context& io,
                                                          Members& members, Options options) {
  std::unique_ptr<PeersService> service(new PeersService(io, members, std::move(options.keeper)));
  rpc::Door door;
  door.security = std::move(options.security);
  auto listening = rpc::Listen(options.address, {service.get()}, door);
  if (!listening.ok()) return listening.status();
  service->server_ = std::move(listening->server);
  service->port_ = ParseAddress(listening->address)->port;
  return service;
}

PeersService::~PeersService() {
  if (!server_) return;
  calls_.EndAll();
  // At once: a caller that does not read is not waited for.
  server_->Shutdown(std::chrono::system_clock::now());
}

rpc::ByteStream* PeersService::Exec(grpc::CallbackServerContext*) {
  const auto stream = std::make_shared<ExecStream>(io_);
  auto place = calls_.Enter([weak = std::weak_ptr(stream)] {
    if (const auto open = weak.lock()) open->Abandon(kEnding);
  });
  if (place == nullptr) return rpc::Refuse(kTooMany);
  const auto session = std::make_shared<ExecSession>(
      io_, stream, keeper_,
      [this](const v1::MemberKey& key, const std::shared_ptr<ExecSession>& self) {
        return members_.Admit(key, self);
      });
  stream->Open(session->MakeEvents(), std::move(place));
  boost::asio::post(io_, [session] { session->Begin(); });
  return stream.get();
}

rpc::ByteStream* PeersService::Collect(grpc::CallbackServerContext*) {
  const auto call = std::make_shared<CollectCall>(
      [this](const v1::CollectRequest& request, const CollectCall::Pointer& self) {
        boost::asio::post(io_, [this, request, self] { members_.Collect(request, self); });
      });
  auto place = calls_.Enter([weak = std::weak_ptr(call)] {
    if (const auto open = weak.lock()) open->Fail(kEnding);
  });
  if (place == nullptr) return rpc::Refuse(kTooMany);
  call->Hold(std::move(place));
  call->Start();
  return call.get();
}

}  // namespace twofold::backend
