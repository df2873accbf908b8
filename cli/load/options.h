#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/load/record/limits.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/load/engine/run.h"

namespace twofold::cli {

/// What `twofold load` is told.
struct LoadOptions {
  std::string queue;
  std::vector<std::string> arguments;  ///< of each job; with --local the program
  std::string shell;                   ///< --shell, with --local instead of the program

  std::uint32_t parallel = 0;  ///< 0: not given
  double rate = 0;             ///< jobs a second; 0: not given
  std::string arrivals = "constant";
  std::string profile;  ///< a file
  std::optional<std::uint64_t> seed{};
  std::uint32_t outstanding_max = 100'000;

  std::optional<Duration> duration{};
  std::optional<Duration> warm_up{};
  std::optional<Duration> drain{};
  double until = 0;  ///< a share: 0.02
  std::uint64_t jobs = 0;

  int priority = 0;
  std::uint32_t attempts = 1;
  Duration limit{};  ///< longest run time of a job; 0: none

  std::string json;
  std::string csv;
  std::string html;
  std::string verdict;  ///< file of --verdict; empty: none
  std::vector<Limit> limits;
  bool lenient = false;  ///< limits go by the value alone

  bool local = false;
  std::vector<int> slots = {1};
  std::string programs;
};

/// Adds the options to a command.
void Declare(CLI::App& app, LoadOptions& options);

/// What has to be asked for together, and what not.
///
/// Errors   kInvalidArgument: the options at fault, and what to do.
Status Check(const LoadOptions& options);

/// The load to run. `slots`: of the workers, with --local; as many jobs are kept outstanding if
/// nothing else was asked for.
///
/// Errors   kInvalidArgument: what is wrong with the profile, and where.
Result<load::RunOptions> PlanLoad(const LoadOptions& options, const std::string& queue, int slots);

}  // namespace twofold::cli
