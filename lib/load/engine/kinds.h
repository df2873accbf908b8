#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lib/common/result.h"
#include "lib/load/load_loop.h"
#include "lib/load/profile.h"

namespace twofold::load {

/// The kinds of jobs that a load had since its start: what they are made from, and the lanes where
/// they belong. Jobs without an answer may be of any, so none is forgotten. Kind 0 is the
/// session's own.
///
/// Threads  Not thread-safe.
class Kinds {
 public:
  static constexpr std::size_t kMost = 1000;

  /// The kind of each job of `profile`, in its order; {0} if it names none.
  /// Errors   kResourceExhausted: more than kMost kinds since the start.
  Result<std::vector<std::uint32_t>> Of(const Profile& profile);

  /// nullptr: the session's.
  [[nodiscard]] const JobTemplate* job(std::size_t kind) const { return kinds_[kind].job.get(); }

  /// nullopt: its jobs may go to any lane.
  [[nodiscard]] std::optional<LoadLoop::Lane> lane(std::size_t kind) const {
    return kinds_[kind].lane;
  }

  /// A frontend says that jobs of this kind belong to `lane`.
  void Belongs(std::size_t kind, LoadLoop::Lane lane) { kinds_[kind].lane = lane; }

 private:
  struct Kind {
    std::shared_ptr<const JobTemplate> job;  // stays where it is: streams compare addresses
    std::optional<LoadLoop::Lane> lane;
  };

  std::vector<Kind> kinds_{1};
};

}  // namespace twofold::load
