#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/stats/worker_spread.h"

namespace twofold::client {

/// Where jobs ended: a node, a pod and a device, with their counts of jobs.
struct Place {
  std::string node;
  std::string pod;
  std::string device;  ///< empty: none
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  stats::Moments times{};  ///< seconds that each succeeded job kept its worker busy
};

/// Counts jobs by place.
///
/// Names come from outside, so their number and length are bounded: further places count as
/// "other".
///
/// Threads  Not thread-safe.
/// Cost     Find O(log n), called once a worker and batch; counting is an index into a vector.
class Places {
 public:
  static constexpr std::size_t kMost = 10'000;  ///< places told apart, "other" not among them

  using Index = std::uint32_t;

  /// The place with these names, added if it is new.
  Index Find(std::string_view node, std::string_view pod, std::string_view device);

  void Succeeded(Index place, double seconds) {
    ++all_[place].succeeded;
    all_[place].times.Add(seconds);
  }
  void Failed(Index place) { ++all_[place].failed; }

  [[nodiscard]] const std::vector<Place>& all() const { return all_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  using View = std::tuple<std::string_view, std::string_view, std::string_view>;

  // Finds without a copy. Not std::less<>: clang 14 compares no tuple with one of other types.
  struct Before {
    using is_transparent = void;
    bool operator()(const View& one, const View& other) const { return one < other; }
  };

  Index Add(Key names);

  std::vector<Place> all_;
  std::map<Key, Index, Before> index_;
};

enum class By : std::uint8_t { kNode, kPod };

/// Jobs that ended on one node (or pod) and device.
struct PlaceGroup {
  std::string name;  ///< of the node or pod; empty: no worker had the job
  std::string device;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;

  [[nodiscard]] std::uint64_t jobs() const { return succeeded + failed; }
};

/// Adds up places with the same name and device. Sorted by both; places without a job are left out.
std::vector<PlaceGroup> GroupPlaces(const std::vector<Place>& places, By by);

}  // namespace twofold::client
