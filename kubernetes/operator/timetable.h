#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api/fields.h"
#include "lib/common/result.h"

/// When a Benchmark with a schedule is run. Pure, but for the time zones of this machine.
namespace twofold::benchmarks {

/// What Kubernetes' CronJobs take: "30 3 * * mon-fri", and words such as @daily. Where day and
/// weekday are both given, either will do.
///
/// When the clock is set back, what has hours of its own comes once, at the first of the two times;
/// when it is set forward, a time that it leaps over does not come.
///
/// Cost     Of a question: some thousand steps at most, of a time that comes in years.
class Timetable {
 public:
  /// `zone` as in "Europe/Berlin"; empty: UTC.
  /// Errors   kInvalidArgument, which part is not understood, also that it never comes.
  static Result<Timetable> Parse(const std::string& cron, const std::string& zone);

  /// The first time after `time`; nullopt: none in the next nine years.
  [[nodiscard]] std::optional<kube::UnixTime> After(kube::UnixTime time) const;

  /// The last time that is not after `time`, and not before `first`, which is one of its times.
  [[nodiscard]] kube::UnixTime Latest(kube::UnixTime first, kube::UnixTime time) const;

 private:
  struct Zone;  // of the library that knows them
  using Days = std::bitset<64>;

  static Result<Timetable> ParseFields(const std::string& cron);
  [[nodiscard]] bool IsDay(int month, int day, int weekday) const;

  Days minutes_, hours_, days_, months_, weekdays_;
  bool any_day_ = true;      ///< the day was written as *
  bool any_weekday_ = true;  ///< the weekday
  std::shared_ptr<const Zone> zone_;
};

}  // namespace twofold::benchmarks
