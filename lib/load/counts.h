#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/printable.h"
#include "lib/stats/worker_spread.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// Where jobs ended: a node, a pod and a device, with their counts of jobs.
struct Place {
  std::string node;
  std::string pod;
  std::string device;  ///< empty: none
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  stats::Moments times{};  ///< seconds that each succeeded job kept its worker busy
  stats::Moments runs{};   ///< seconds that it ran
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

  void Succeeded(Index place, double busy_seconds, double run_seconds) {
    ++all_[place].succeeded;
    all_[place].times.Add(busy_seconds);
    all_[place].runs.Add(run_seconds);
  }
  void Failed(Index place) { ++all_[place].failed; }
  /// What happened there counts no more; their numbers stay.
  void Forget() {
    for (Place& place : all_)
      place = {.node = place.node, .pod = place.pod, .device = place.device};
  }

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

/// Which places are added up: those of the same node and device, pod and device, or node.
enum class By : std::uint8_t { kNode, kPod, kWholeNode };

/// Jobs that ended in places that are added up.
struct PlaceGroup {
  std::string name;           ///< of the node or pod; empty: no worker had the job
  std::string device;         ///< empty: none, or any
  std::uint32_t workers = 0;  ///< pods
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  stats::Moments runs{};  ///< seconds, of those that succeeded

  [[nodiscard]] std::uint64_t jobs() const { return succeeded + failed; }
};

/// Sorted by name and device; places without a job are left out.
std::vector<PlaceGroup> GroupPlaces(const std::vector<Place>& places, By by);

/// Why a job did not succeed: the reason in its serialized v1::Report, else the exit code, the
/// signal or the outcome; plus the last line that a failed program printed, made printable, at most
/// 200 bytes of it.
std::string ErrorText(v1::Outcome outcome, std::string_view report);

/// Counts error texts. They come from outside, so the number of different texts and their length
/// are bounded; further texts count as "other".
class ErrorCounts {
 public:
  static constexpr std::size_t kMost = 100;      ///< texts told apart, "other" not among them
  static constexpr std::size_t kMaxBytes = 300;  ///< of a text; the rest is cut off

  using Map = std::map<std::string, std::uint64_t, std::less<>>;

  void Add(std::string_view text) {
    std::string line = Printable(text, kMaxBytes);
    const bool known = counts_.contains(line);
    ++counts_[known || counts_.size() < kMost ? std::move(line) : "other"];
  }

  [[nodiscard]] const Map& all() const { return counts_; }

 private:
  Map counts_;
};

}  // namespace twofold::load
