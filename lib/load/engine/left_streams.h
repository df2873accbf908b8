#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/engine/submit_stream.h"

namespace twofold::load {

/// The streams that a session has left: they take no more jobs and deliver the ends of those that
/// they have. Each has its time for that, and is broken off then; beyond kMost the oldest is.
///
/// Threads  Not thread-safe: the session's thread has it.
class LeftStreams {
 public:
  static constexpr std::size_t kMost = 8;

  using Stream = std::shared_ptr<SubmitStream>;

  /// `give_up` is when it is broken off; nullopt: never.
  void Add(Stream stream, std::optional<Instant> give_up);

  /// Drops the streams of which `can_drop` says so, and breaks off those that have had their time.
  /// Returns when the next one has.
  std::optional<Instant> Tend(Instant now, absl::FunctionRef<bool(const Stream&)> can_drop);

  /// Half-closes all.
  void Close() const;

  /// Breaks all off.
  void Cancel() const;

 private:
  struct Left {
    Stream stream;
    std::optional<Instant> give_up;  // nullopt: it was broken off, or never is
  };

  std::vector<Left> left_;  // the oldest first
};

}  // namespace twofold::load
