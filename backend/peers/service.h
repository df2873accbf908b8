#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "backend/peers/call_set.h"
#include "backend/peers/members.h"
#include "lib/common/result.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "twofold/v1/peers.grpc.pb.h"

namespace twofold::backend {

/// The service Peers, with the port at which it is served. Its methods hand calls to `members`, on
/// the thread of the io_context. There are no tokens: what a caller may is in its first message
/// (Members).
///
/// Threads  Construct and destroy on the thread of the io_context, destroy when that runs no more:
///          calls that are open then are ended.
class PeersService final : public rpc::Service {
 public:
  struct Options {
    std::string address;  ///< host:port to listen at
    security::Server security;
    std::string keeper;  ///< path of twofold-keeper
  };

  /// Errors   Those of rpc::Listen.
  static Result<std::unique_ptr<PeersService>> Start(boost::asio::io_context& io, Members& members,
                                                     Options options);
  ~PeersService() override;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  static constexpr std::size_t kMostCalls = 1024;  // at once, of all members

  PeersService(boost::asio::io_context& io, Members& members, std::string keeper);

  rpc::ByteStream* Exec(grpc::CallbackServerContext* context);
  rpc::ByteStream* Collect(grpc::CallbackServerContext*);

  boost::asio::io_context& io_;
  Members& members_;
  const std::string keeper_;
  CallSet calls_{kMostCalls};
  std::unique_ptr<rpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace twofold::backend
