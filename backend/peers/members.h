#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/peers/exec_session.h"
#include "backend/workload/peer_link.h"
#include "lib/common/limited_log.h"
#include "lib/common/result.h"
#include "lib/rpc/unary.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::backend {

inline constexpr std::size_t kSecretBytes = 32;  ///< of GangRoster.secret

/// Which member is meant; whether the caller may is another question.
inline MemberId IdOf(const v1::MemberKey& key) { return {{key.job(), key.attempt()}, key.rank()}; }

/// Whether `shown` is the secret of an attempt. Takes as long whatever is shown. A secret that has
/// not kSecretBytes is nobody's.
bool IsSecret(std::string_view shown, std::string_view secret);

/// A call that waits for a member's record.
using CollectCall = rpc::UnaryCall<v1::CollectRequest, v1::CollectReply>;

/// The members of gangs that run in this process, and what their rank 0 has asked of them.
///
/// Threads  On the thread of the io_context.
class Members {
 public:
  static constexpr std::size_t kMostPrograms = 64;  ///< of one member at once

  explicit Members(boost::asio::io_context& io) : io_(io) {}

  struct Announced {
    std::string secret;
    PeerLink::Member* member = nullptr;
    bool serves_exec = false;
    std::vector<std::string> environment;
    std::string directory;
  };

  void Announce(const MemberId& id, Announced announced);

  /// See PeerLink::Withdraw. A program that cannot be killed (it waits for a dead disk) is given up
  /// after kPatience, with a line in the log.
  void Withdraw(const MemberId& id, std::function<void()> on_gone);

  /// See ExecSession::Admit.
  Result<ExecPlace> Admit(const v1::MemberKey& key, const std::shared_ptr<ExecSession>& session);

  /// Answers when the member has; fails if the caller must not ask, or the attempt ends first.
  void Collect(const v1::CollectRequest& request, const CollectCall::Pointer& reply);

 private:
  static constexpr Duration kPatience = std::chrono::seconds(10);

  struct Entry {
    Entry(boost::asio::io_context& io, Announced what) : announced(std::move(what)), patience(io) {}
    Announced announced;
    absl::flat_hash_set<std::shared_ptr<ExecSession>> sessions;
    std::vector<std::weak_ptr<CollectCall>> asked;
    std::function<void()> on_gone;  // set: it is withdrawn
    boost::asio::steady_timer patience;
  };

  Result<Entry*> Find(const v1::MemberKey& key);
  void Left(const MemberId& id, const std::shared_ptr<ExecSession>& session);
  void Go(const MemberId& id);

  boost::asio::io_context& io_;
  absl::flat_hash_map<MemberId, std::shared_ptr<Entry>> entries_;
  LimitedLog refusals_;
};

}  // namespace twofold::backend
