#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/result.h"
#include "lib/load/profile.h"
#include "lib/security/options.h"

namespace CLI {
class App;
}

namespace twofold::client {

/// The command line of twofold-client.
struct Options {
  std::string frontend = "localhost:9997";      ///< where jobs go
  std::string queue;                            ///< their queue
  std::uint32_t parallel = 0;                   ///< jobs to keep outstanding at first
  double rate = -1;                             ///< jobs a second at first; below 0: a closed loop
  std::string arrivals = "constant";            ///< of a rate: constant, poisson
  std::string profile;                          ///< file of the load; empty: none
  std::uint64_t seed = 0;                       ///< 0: that of the profile, else 1
  std::uint32_t outstanding_max = 100'000;      ///< at which due jobs of an open loop wait
  std::uint32_t parallel_max = 100'000;         ///< most jobs to keep outstanding
  double limit_seconds = 0;                     ///< longest run time of a job; 0 = none
  std::int32_t priority = 0;                    ///< -10..10, higher first
  std::uint32_t attempts = 1;                   ///< tries of a job when workers vanish
  std::string http_address = "127.0.0.1:9996";  ///< where to serve control and pages
  std::string ready_file;                       ///< see lib/common/program.h; empty: none
  security::ClientOptions security;             ///< of the link to the frontend
  security::ServerOptions http_security;        ///< of control and pages
  bool check_config = false;                    ///< only check that the options can be used
  bool verbose = false;
  std::vector<std::string> arguments;  ///< of every job

  HostPort http;  ///< http_address; filled by Check
};

/// Ties the options to the command line.
void Bind(CLI::App& app, Options& options);

/// Checks that involve several options. kInvalidArgument names the option.
Status Check(Options& options);

/// REQUIRES: Check has passed.
load::JobTemplate MakeJob(const Options& options);

/// What --rate or --profile asks for; nullptr: neither. REQUIRES: Check has passed.
/// Errors   kInvalidArgument: the option, and what is wrong with its file.
Result<std::shared_ptr<const load::Profile>> MakeLoad(const Options& options);

/// Refuses a profile that keeps more jobs outstanding than `most`.
Status CheckParallelism(const load::Profile& profile, std::uint32_t most);

/// What --arrivals says.
load::Arrivals ArrivalsOf(const Options& options);

}  // namespace twofold::client
