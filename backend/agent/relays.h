#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "backend/workload/job.h"
#include "lib/common/instant.h"
#include "lib/process/process.h"

namespace twofold::backend {

/// Passes on how far attempts are: the first news at once, further ones four times a second. In
/// between the newest wins, so a program may tell as often as it likes.
///
/// Threads  On the thread of the io_context.
class ProgressRelay {
 public:
  using Send = std::function<void(const AttemptId&, const process::ProgressLine&)>;

  static constexpr Duration kPeriod = std::chrono::milliseconds(250);

  ProgressRelay(boost::asio::io_context& io, Send send) : timer_(io), send_(std::move(send)) {}

  void Update(const AttemptId& id, process::ProgressLine line);

  /// The attempt has ended, which is better news.
  void Forget(const AttemptId& id) {
    if (!news_.empty()) news_.erase(id);
  }

 private:
  void SendNews();

  boost::asio::steady_timer timer_;
  Send send_;
  bool armed_ = false;
  absl::flat_hash_map<AttemptId, process::ProgressLine> news_;  // not sent yet
};

/// Output that waits to be sent: bounded, the oldest goes first.
///
/// Cost     Each byte is copied at most a few times, however slow the reader is.
class OutputBacklog {
 public:
  /// What is sent at once.
  struct Chunk {
    std::uint64_t missed = 0;  ///< bytes that were dropped right before `data`
    std::string data;
  };

  explicit OutputBacklog(std::size_t limit) : limit_(limit) {}

  void Append(std::string_view bytes);

  /// At most `most` bytes from the front, with all that was dropped before.
  Chunk Take(std::size_t most);

  [[nodiscard]] bool empty() const { return waiting_.empty(); }

 private:
  std::size_t limit_;
  std::string waiting_;
  std::uint64_t missed_ = 0;
};

/// Passes on what followed attempts print, in chunks of at most 64 KiB.
///
/// While the stream has enough to write, the newest 256 KiB of each attempt wait here: someone who
/// follows a job sees what it prints now, rather than holding it up or filling the memory.
///
/// Threads  On the thread of the io_context.
class OutputRelay {
 public:
  static constexpr std::size_t kChunkBytes = 64 << 10;
  static constexpr std::size_t kBacklogBytes = 256 << 10;  ///< an attempt

  struct Sink {
    std::function<bool()> ready;  ///< whether more may be sent now
    std::function<void(const AttemptId&, OutputBacklog::Chunk)> send;
  };

  OutputRelay(boost::asio::io_context& io, Sink sink) : timer_(io), sink_(std::move(sink)) {}

  [[nodiscard]] bool follows(const AttemptId& id) const { return backlogs_.contains(id); }
  void Follow(const AttemptId& id) { backlogs_.try_emplace(id, kBacklogBytes); }
  void Unfollow(const AttemptId& id) { backlogs_.erase(id); }
  void UnfollowAll() { backlogs_.clear(); }

  /// Does nothing for what is not followed.
  void Append(const AttemptId& id, std::string_view bytes);

  /// The attempt prints no more: sends what is left, whether or not the stream is slow, for it is
  /// bounded and the end matters most. Does nothing for what is not followed.
  void Finish(const AttemptId& id);

 private:
  void Pump();
  bool SendRound();

  boost::asio::steady_timer timer_;
  Sink sink_;
  bool armed_ = false;
  absl::flat_hash_map<AttemptId, OutputBacklog> backlogs_;
};

}  // namespace twofold::backend
