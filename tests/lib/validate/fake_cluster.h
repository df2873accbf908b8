#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "lib/target/target.h"
#include "lib/validate/engine.h"

namespace twofold::validate {

/// A scripted cluster with its load client and frontend, and time that passes only when somebody
/// waits. The members say what goes wrong.
class FakeCluster final : public targets::Target, public Clock {
 public:
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  double efficiency = 1;            ///< throughput = workers ^ efficiency
  std::vector<double> throughputs;  ///< of 1, 2, 3 and more workers instead
  std::string log_error = "0.001";
  double spread = 0;    ///< between workers
  int most = kNoLimit;  ///< workers that become ready at most
  int registered_most = kNoLimit;
  int failed = 0;          ///< of 1000 jobs
  int repeats_needed = 0;  ///< at each step that is undecided, as workers differ
  std::string expected;    ///< lines of a look that says what it expects
  bool steady = true;
  bool done = true;  ///< false: no look has seen enough
  double next_seconds = 500;
  bool says_why = false;  ///< at later steps, too
  bool old = false;       ///< client and frontend know nothing of where the time went
  bool shards = false;
  bool terminating = false;    ///< a pod that does not end
  bool crashing = false;       ///< again and again
  bool crash_at_look = false;  ///< a worker crashes when a look has been asked for
  std::string queue = "sleep";
  std::string broken;  ///< what has this text in it fails
  Status check;        ///< of Check
  int signal = 0;      ///< that comes when the first step is measured

  Status Check() override { return check; }
  Status Scale(int workers) override;
  Result<targets::Workers> Look() override;
  Result<std::string> Team() override;
  std::vector<std::string> Problems() override { return {"pod pod-0: why it is not ready"}; }
  Result<std::string> AskClient(const std::string& target) override;
  Result<std::string> Metrics() override;
  [[nodiscard]] Duration poll() const override { return std::chrono::seconds(1); }

  [[nodiscard]] Instant Now() override { return now_; }
  [[nodiscard]] Duration last_wait() const { return last_wait_; }
  int Wait(Duration at_most) override;

  /// All that was asked for, in order: "scale 4", "/parallel?value=0&type=plain", ...
  std::vector<std::string> calls;

  [[nodiscard]] std::vector<std::string> CallsWith(const std::string& text) const;
  [[nodiscard]] bool untouched() const;
  [[nodiscard]] bool scaled_back() const { return replicas_ == 1 && parallel_ == 0; }

 private:
  Status Note(const std::string& call);
  [[nodiscard]] int Ready() const;
  [[nodiscard]] double Throughput() const;
  [[nodiscard]] std::string Window() const;
  [[nodiscard]] std::string LookText(const std::map<std::string, std::string>& query) const;
  [[nodiscard]] std::string Judged(const std::map<std::string, std::string>& query) const;

  Instant now_{};
  Duration last_wait_{};
  int replicas_ = -1;  // nobody has asked
  int parallel_ = -1;
  int readings_ = 0;  // of metrics
};

}  // namespace twofold::validate
