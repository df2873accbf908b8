#include "kubernetes/lifecycle/times/plateau.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cstddef>

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kFewest = 15;     // seconds
constexpr std::size_t kMost = 100'000;  // seconds that are looked at
constexpr double kFlat = 0.25;          // variance by mean; 1 is chance
constexpr double kRisk = 0.001;         // of finding one where all is chance, a run
constexpr double kLeastRate = 2.0;      // a second; below it whole numbers are flat by themselves
constexpr double kLeastWaiting = 0.5;   // seconds of work

/// The default limit of a program's client.
struct Limit {
  std::string_view program;
  const char* title;
  double rate;  // calls a second
  double burst;
  bool one_call;  // a piece of work; else it takes several, of all of which the rate is
};

// Of Kubernetes 1.36, KAI v0.17, Volcano v1.15, training operator v1.9, MPI operator v0.8. A Job
// takes about six calls of the controller manager, as measured: its pods come at a part of the 20.
constexpr Limit kLimits[] = {
    {"default-scheduler", "the scheduler's", 50, 100, true},
    {"kai-scheduler", "KAI's scheduler's", 50, 300, true},
    {"volcano", "Volcano's scheduler's", 2000, 2000, true},
    {"kube-controller-manager", "the controller manager's", 20, 30, false},
    {"training-operator", "the training operator's", 20, 30, false},
    {"mpi-operator", "the MPI operator's", 5, 10, false},
    {"vc-controller-manager", "Volcano's controllers'", 50, 100, false},
};

struct Second {
  double done = 0.0;
  double waiting = 0.0;  // at its end
};

std::vector<Second> SecondsOf(std::vector<Instant>& in, std::vector<Instant>& out) {
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end());
  const Instant begin = out.front();
  const double whole = std::min(ToSeconds(out.back() - begin), static_cast<double>(kMost));
  std::vector<Second> seconds(static_cast<std::size_t>(whole));
  std::size_t came = 0;
  std::size_t left = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const Instant end = begin + std::chrono::seconds(i + 1);
    const std::size_t before = left;
    while (came < in.size() && in[came] < end) ++came;
    while (left < out.size() && out[left] < end) ++left;
    seconds[i].done = static_cast<double>(left - before);
    seconds[i].waiting = static_cast<double>(came) - static_cast<double>(left);
  }
  return seconds;
}

/// A stretch of seconds that grows as long as it is flat.
struct Stretch {
  double n = 0.0;
  double sum = 0.0;
  double squares = 0.0;
  double waiting = 0.0;

  void Add(const Second& second) {
    n += 1.0;
    sum += second.done;
    squares += second.done * second.done;
    waiting += second.waiting;
  }
  [[nodiscard]] double Rate() const { return sum / n; }
  [[nodiscard]] double SquaredDeviations() const {
    return std::max(0.0, squares - n * Rate() * Rate());
  }
  [[nodiscard]] bool IsFlat() const { return SquaredDeviations() <= kFlat * n * Rate(); }
};

/// With which probability random service would be as flat as this. Counts are whole numbers, of
/// which squared deviations go in steps of two: a step more keeps the chi-square on the safe side.
double Chance(const Stretch& stretch) {
  const double chi_square = (stretch.SquaredDeviations() + 2.0) / stretch.Rate();
  return boost::math::gamma_p((stretch.n - 1.0) / 2.0, chi_square / 2.0);
}

/// How many windows of kFewest seconds or more there are in a run of `seconds`.
double Windows(std::size_t seconds) {
  const double begins = static_cast<double>(seconds) - static_cast<double>(kFewest) + 1.0;
  return begins * (begins + 1.0) / 2.0;
}

bool IsPlateau(const Stretch& stretch, std::size_t seconds) {
  return stretch.n >= static_cast<double>(kFewest) && stretch.Rate() >= kLeastRate &&
         Chance(stretch) * Windows(seconds) < kRisk;
}

Stretch LongestFrom(const std::vector<Second>& seconds, std::size_t begin) {
  Stretch longest;
  Stretch stretch;
  for (std::size_t i = begin; i < seconds.size(); ++i) {
    if (seconds[i].waiting < kLeastWaiting * std::max(seconds[i].done, kLeastRate)) break;
    stretch.Add(seconds[i]);
    if (!stretch.IsFlat()) break;
    longest = stretch;
  }
  return longest;
}

bool Fits(const Limit& limit, double rate) {
  constexpr double kDoubt = 0.03;  // of a rate that is counted over seconds
  const double least = limit.one_call ? limit.rate * (1.0 - kDoubt) : kLeastRate;
  return least <= rate && rate <= limit.rate * (1.0 + kDoubt);
}

std::string LimiterOf(std::string_view program, double rate) {
  for (const Limit& limit : kLimits) {
    if (limit.program != program || !Fits(limit, rate)) continue;
    return absl::StrFormat("%s default client limit (%g QPS%s, burst %g)", limit.title, limit.rate,
                           limit.one_call ? "" : " for all its calls", limit.burst);
  }
  return "";
}

}  // namespace

std::string Describe(const Plateau& plateau) {
  return absl::StrFormat("limit: %s %.1f/s flat for %.0f s while %.0f waited%s%s", plateau.step,
                         plateau.rate, plateau.seconds, plateau.waiting,
                         plateau.limiter.empty() ? "" : ", as under ", plateau.limiter);
}

std::optional<Plateau> FindPlateau(std::string_view step, std::string_view program,
                                   std::vector<Instant> in, std::vector<Instant> out) {
  if (out.empty()) return std::nullopt;
  const std::vector<Second> seconds = SecondsOf(in, out);
  Stretch longest;
  for (std::size_t i = 0; i < seconds.size();) {
    const Stretch stretch = LongestFrom(seconds, i);
    if (stretch.n > longest.n && IsPlateau(stretch, seconds.size())) longest = stretch;
    i += std::max<std::size_t>(1, static_cast<std::size_t>(stretch.n));
  }
  if (longest.n == 0.0) return std::nullopt;
  const double rate = longest.Rate();
  return Plateau{std::string(step), rate, longest.n, longest.waiting / longest.n,
                 LimiterOf(program, rate)};
}

}  // namespace twofold::lifecycle
