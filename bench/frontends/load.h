#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/frontends/cluster.h"
#include "lib/common/instant.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/session.h"

namespace twofold::budgets {

/// A closed loop of 100-byte jobs through the load client's own engine, in this process.
class Load {
 public:
  struct Options {
    std::string frontend;  ///< the first contact
    std::uint32_t outstanding = 1024;
    bool durable = false;
    std::string queue = kQueue;
  };

  /// Returns when the first jobs have ended.
  explicit Load(const Options& options);
  ~Load();

  /// Jobs that have succeeded so far. Throws Trouble if one has ended otherwise.
  [[nodiscard]] std::uint64_t Ended() const;

 private:
  load::Generator generator_;
  load::Session session_;
};

/// Jobs a second, while `meanwhile` runs.
double RateOf(const std::function<std::uint64_t()>& count, const std::function<void()>& meanwhile);

/// Jobs a second of this load in the next `seconds`.
double RateOf(const Load& load, double seconds);

/// What a Putter has put in: durable jobs, as fast as they are accepted. Returns jobs a second.
double PutJobs(const std::string& frontend, int jobs);

/// Submits one durable job, and waits for `limit` at most. False: it is not accepted.
bool SubmitOne(const std::string& frontend, Duration limit);

}  // namespace twofold::budgets
