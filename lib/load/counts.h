#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/printable.h"
#include "lib/stats/histogram.h"
#include "lib/stats/worker_spread.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// The parts of a job's time, in the order in which they are shown.
enum class Part : std::uint8_t { kWait, kRun, kOverhead, kRoundTrip };
inline constexpr std::array kParts = {Part::kWait, Part::kRun, Part::kOverhead, Part::kRoundTrip};

/// Where the time of jobs went: wait (frontend's clock), run time (worker's clock), round trip
/// (client's clock), and overhead = round trip - wait - run time.
///
/// As three clocks drift apart, an overhead may be negative by some nanoseconds, or by more if a
/// worker lies. A negative overhead counts as 0, and in `clamped()`.
class Latencies {
 public:
  void Record(Duration wait, Duration run, Duration round_trip);

  [[nodiscard]] const stats::Histogram& Of(Part part) const {
    return histograms_[static_cast<std::size_t>(part)];
  }
  [[nodiscard]] std::uint64_t clamped() const { return clamped_; }

 private:
  std::array<stats::Histogram, kParts.size()> histograms_;
  std::uint64_t clamped_ = 0;
};

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
