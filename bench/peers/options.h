#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "bench/peers/plan.h"

namespace twofold::bench {

enum class Command { kSeries, kCheck, kReport, kList, kMeasure, kServe };

/// What the command line says. Times are in seconds.
struct Options {
  Command command = Command::kList;

  std::vector<std::string> peers;  ///< empty: all
  SeriesPlan plan;
  int passes = 5;
  double warm_up = 0.5;
  double seconds = 3;
  double settle = 2;    ///< before memory is read
  double idle = 10;     ///< how long idle workers are watched
  double quiet = 0.25;  ///< a run that saw more foreign CPUs busy is repeated
  int repeats = 2;      ///< at most so often; the quietest counts
  std::string output = "build/peers";
  std::string frontend;  ///< empty: beside this program

  std::string runs;  ///< kReport

  std::string cell;        ///< kMeasure, a line of runs.csv without figures
  std::vector<int> ports;  ///< kMeasure, kServe
  int server = 0;          ///< kMeasure: process id
  std::string directory;   ///< kMeasure
  std::string relay;       ///< kServe
};

/// Declares the subcommands on `app`; parsing fills `options`.
void Declare(CLI::App& app, Options& options);

/// The plan of the subcommand `check`: each test for a moment.
SeriesPlan CheckPlan();

}  // namespace twofold::bench
