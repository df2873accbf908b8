#pragma once

#include <functional>
#include <utility>

#include "lib/common/instant.h"
#include "lib/h2/loop.h"

namespace twofold::rpc {

/// A loop, and who takes its turns: a thread of its own (LoopThread), or that of an io_context
/// (LoopOnAsio).
///
/// Threads  Safe, but for loop(), which belongs to the thread that takes the turns.
class LoopOwner {
 public:
  LoopOwner() = default;
  virtual ~LoopOwner() = default;
  LoopOwner(const LoopOwner&) = delete;
  LoopOwner& operator=(const LoopOwner&) = delete;

  [[nodiscard]] virtual h2::Loop& loop() = 0;

  /// `task` runs in a turn that is to come; not if the owner ends before.
  virtual void Post(std::function<void()> task) = 0;

  /// `task` runs when `pause` has passed; the same holds.
  void PostAfter(Duration pause, std::function<void()> task);

  /// The one whose turn the caller runs in; null: none.
  [[nodiscard]] static const LoopOwner* Current();

  [[nodiscard]] bool IsHere() const { return Current() == this; }

 protected:
  /// While it lives, this thread takes turns of `owner`.
  class TakesTurns {
   public:
    explicit TakesTurns(const LoopOwner* owner);
    ~TakesTurns();
    TakesTurns(const TakesTurns&) = delete;
    TakesTurns& operator=(const TakesTurns&) = delete;

   private:
    const LoopOwner* const before_;
  };
};

}  // namespace twofold::rpc
