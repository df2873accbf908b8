#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/frontends/database.h"
#include "bench/peers/child.h"
#include "bench/peers/twofold_jobs.h"
#include "twofold/v1/frontends.grpc.pb.h"

namespace twofold::budgets {

inline const std::string kQueue{bench::kQueue};

/// Where programs and stores of a run are, and the database server that its scenarios share.
class Place {
 public:
  /// `ttl`: of the frontends that share a database, in seconds.
  Place(const std::string& parent, double ttl) : ttl_(ttl), folder_(parent) {}

  /// Started when it is asked for first.
  Database& database();

  /// A path that nothing has yet.
  std::string NewFile(std::string_view name);

  /// Starts a program that is beside this one, on one core or all; what it prints goes to a file.
  bench::Child Start(const std::string& program, const std::vector<std::string>& arguments,
                     std::optional<int> core = std::nullopt);

  [[nodiscard]] double ttl() const { return ttl_; }

 private:
  const double ttl_;
  const bench::TemporaryDirectory folder_;
  std::optional<Database> database_;
  int files_ = 0;
};

/// A frontend, which keeps its addresses over restarts.
class Frontend {
 public:
  struct Options {
    std::string name;
    std::vector<std::string> queues = {kQueue};
    std::string store = {};                  ///< empty: none
    std::optional<int> core = std::nullopt;  ///< that it may use; nullopt: all
    bool relay = false;                      ///< streams of its callers that belong to others
  };

  /// Returns when it serves.
  Frontend(Place& place, Options options);

  void Kill();
  void Launch();      ///< REQUIRES: it was killed
  void AwaitReady();  ///< after Launch

  [[nodiscard]] const std::string& name() const { return options_.name; }
  [[nodiscard]] const std::string& client() const { return client_; }
  [[nodiscard]] const std::string& worker() const { return worker_; }
  [[nodiscard]] bool running() const { return program_.has_value(); }
  [[nodiscard]] double CpuSeconds() const;

 private:
  Place& place_;
  const Options options_;
  const std::string ready_file_;
  std::optional<bench::Child> program_;
  std::string client_ = "127.0.0.1:0";
  std::string worker_ = "127.0.0.1:0";
};

/// Frontends f1, f2, ... that share a new database, or one with a store of its own.
class Cluster {
 public:
  struct Options {
    int frontends = 3;
    std::vector<std::string> queues = {kQueue};
    bool pinned = false;     ///< the first one on core 0, the next on core 1, ...
    bool relay = false;      ///< all of them
    std::string store = {};  ///< empty: a new PostgreSQL database
  };

  /// Returns when all queues are served.
  Cluster(Place& place, const Options& options);

  std::vector<std::unique_ptr<Frontend>>& frontends() { return frontends_; }
  Frontend& Owner(const std::string& queue = kQueue);
  Frontend& OtherThan(const Frontend& one);  ///< a running one
  [[nodiscard]] const std::string& store() const { return store_; }

  /// Worker addresses of all, as a worker takes them.
  std::string Contacts();

  /// As its owner says; nullopt: nobody serves all of it.
  std::optional<v1::Partition> Find(const std::string& queue = kQueue);

  /// Returns when so many slots of workers are there.
  Duration AwaitSlots(std::uint64_t slots, const std::string& queue = kQueue);

  /// Returns when it is served there.
  void Move(const std::string& queue, const Frontend& to);

 private:
  /// Empty: the one that is asked does not answer now.
  v1::ListFrontendsReply List();
  v1::Frontends::Stub& StubOf(const std::string& client);

  std::string store_;
  std::map<std::string, std::unique_ptr<v1::Frontends::Stub>> stubs_;
  std::vector<std::unique_ptr<Frontend>> frontends_;
};

/// A worker process with the suite sleep, for jobs that end at once and whose own time it ignores.
bench::Child StartWorker(Place& place, const std::string& frontend, int slots,
                         const std::string& queue = kQueue);

}  // namespace twofold::budgets
