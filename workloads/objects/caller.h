#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "workloads/objects/connection.h"
#include "workloads/objects/load/content.h"
#include "workloads/objects/load/tally.h"
#include "workloads/objects/store.h"
#include "workloads/objects/wire/answer.h"
#include "workloads/objects/wire/reason.h"

namespace twofold::objects {

/// How one request went.
struct Reply {
  std::optional<Failure> failure;
  bool may_retry = false;  ///< by S3's rules: the server was busy, or the connection was lost
  Instant sent{};          ///< first byte
  Instant first_byte{};    ///< of the last answer, that of a redirect left out
  Instant ended{};
  std::optional<Instant> redirected{};  ///< the last redirect was there
  std::uint32_t redirects = 0;
};

/// Makes requests, one at a time, on connections that it keeps: one to the endpoint, and one to
/// each server that it was redirected to.
///
/// Memory   A buffer of a fixed size; content passes through it.
/// Threads  That of its io_context.
class Caller {
 public:
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  /// `number` says which of the store's addresses it begins with. What connections and content
  /// cost is counted in `tally`.
  Caller(boost::asio::io_context& io, const Store& store, std::size_t number,
         std::size_t buffer_bytes, Duration timeout);

  /// `content` is sent if the call has a size, from `offset` of the object on. `sink` gets the
  /// content of a good answer, `keep` bytes of which are in answer().body().
  Task<Reply> Make(const Call& call, const Content* content, Sink* sink, std::size_t keep);

  [[nodiscard]] const Answer& answer() const { return *answer_; }

  /// Waits until then, or until Abort.
  Task<void> WaitUntil(Instant when);

  /// Ends what is going on; `timed_out`: it fails for that reason.
  void Abort(bool timed_out);
  [[nodiscard]] Instant deadline() const { return deadline_; }

  LockedTally* tally = nullptr;  ///< null: nothing is counted

 private:
  using Error = boost::system::error_code;

  /// Where a redirect goes.
  struct Hop {
    Endpoint endpoint;
    std::string target;
  };

  Task<void> Follow(const Call& call, const Content* content, Sink* sink, std::size_t keep,
                    Reply& reply);
  Task<Error> Try(const Call& call, const Content* content, Sink* sink, std::size_t keep,
                  const Hop* hop, Reply& reply);
  Task<Error> Connect(const Hop* hop);
  Task<Error> Send(const Call& call, const Content* content, bool ask_first);
  Task<Error> SendContent(const Call& call, const Content* content, std::uint64_t done);
  Task<Error> Receive(const Call& call, Sink* sink, std::size_t keep, Reply& reply);
  Error Feed();
  void WriteHead(const Hop* hop, bool ask_first);
  std::size_t FillContent(const Call& call, const Content* content, std::uint64_t done);
  Connection& ConnectionTo(const std::string& authority);
  Failure FailureOf(const Error& error) const;
  void Judge(const Call& call, Reply& reply) const;
  /// What the answer says is wrong; empty: it is a success, as far as it tells.
  std::string CauseOf(const Call& call) const;
  Reason ReasonOf(const std::string& cause) const;

  boost::asio::io_context& io_;
  const Store& store_;
  std::size_t number_;
  Duration timeout_;
  Signer signer_;
  std::vector<std::unique_ptr<Connection>> connections_;  ///< the endpoint's is the first
  Connection* connection_ = nullptr;                      ///< that of the try
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  ///< bytes in it that the answer has not taken
  std::string head_;
  Request request_;
  std::optional<Answer> answer_;
  boost::asio::steady_timer timer_;
  Instant deadline_ = Instant::max();
  bool timed_out_ = false;
};

/// What a redirect's Location says, relative to where it came from.
/// Errors   kInvalidArgument.
Result<std::pair<Endpoint, std::string>> Located(std::string_view location, const Endpoint& from);

}  // namespace twofold::objects
