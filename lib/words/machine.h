#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "twofold/v1/runs.pb.h"

/// What the machine did beside a job: which measurements say it, and whether it can have made a
/// change between two runs. Pure.
namespace twofold {

/// A measurement that the worker adds to those of the suite, in %. Its name begins with
/// kOfMachine, as that of no suite's does.
struct MachineCondition {
  std::string_view name;  ///< of the measurement: "machine_others"
  std::string_view key;   ///< as JSON has it: "others"
  std::string_view what;  ///< in a sentence, before "45 %"
};

inline constexpr std::string_view kOfMachine = "machine_";
inline constexpr std::array<MachineCondition, 4> kMachineConditions = {{
    {"machine_others", "others", "other programs had the processors for"},
    {"machine_stolen", "stolen", "other virtual machines had the processors for"},
    {"machine_throttled", "throttled", "a CPU quota held the worker up for"},
    {"machine_hot", "hot", "heat slowed the processors down for"},
}};

/// Sides that differ by less than so many percentage points are alike. A clock tick is 5 points of
/// a tenth of a second on two processors, and that is the shortest job whose machine is looked at.
inline constexpr double kUnlikePoints = 5.0;

/// The means of each condition over the jobs of a permutation that count.
class MachineMeans {
 public:
  /// Adds a measurement of a job; no-op if it is none of the machine.
  void Add(const v1::Measurement& measured);

  /// By the order of kMachineConditions; nullopt: no job knows it.
  [[nodiscard]] std::optional<double> Mean(std::size_t condition) const;

 private:
  struct Sum {
    double sum = 0.0;
    std::size_t n = 0;
  };
  std::array<Sum, kMachineConditions.size()> sums_{};
};

/// A condition in which two sides were not alike.
struct UnlikeMachine {
  const MachineCondition* condition;
  double base;  ///< %
  double now;   ///< %
};

/// The conditions that may have made the change `word` (ChangeWord): the side with the worse number
/// had at least kUnlikePoints more of it; where no way is better, either side. Empty: none may, or
/// it is no change.
std::vector<UnlikeMachine> MayHaveMade(std::string_view word, const MachineMeans& base,
                                       const MachineMeans& now);

/// Of each condition the one in which the sides differ most, by the order of kMachineConditions.
std::vector<UnlikeMachine> WidestOf(const std::vector<UnlikeMachine>& all);

/// "other programs had the processors for 45 % of the time in A, 3 % in B"
std::string Text(const UnlikeMachine& unlike, const std::string& base, const std::string& now);

}  // namespace twofold
