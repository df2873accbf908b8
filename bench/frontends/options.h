#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace twofold::budgets {

/// What the command line says. Times are in seconds.
struct Options {
  std::vector<std::string> only;  ///< scenarios; empty: all
  int rounds = 5;                 ///< what is compared takes turns so often
  double seconds = 4;             ///< of a rate
  double idle_seconds = 60;
  double outage_seconds = 60;
  int jobs = 100'000;  ///< unfinished ones of a takeover
  int workers = 1'000;
  double ttl = 6;                   ///< of the frontends
  std::string folder = "/var/tmp";  ///< where the stores are
  bool quick = false;

  // Of a process that only has idle workers, see IdleWorkers.
  int links = 0;
  std::uint64_t first_key = 1;
  std::string contacts;

  bool json = false;
};

void Declare(CLI::App& app, Options& options);

/// `options`, or with `quick` the same for a moment each.
Options Complete(Options options);

}  // namespace twofold::budgets
