#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::fakes {

/// What becomes of a job; `tag` is filled in by the fake.
struct FakeEnd {
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  std::string error;
  Duration retry_after{};
  Duration wait{};
  Duration run{};
  v1::WorkerName worker;
};

/// The end of a job right when it arrives; nullopt: it stays until Release.
using FakeBehaviour =
    std::function<std::optional<FakeEnd>(const v1::JobOptions&, std::string_view)>;

inline FakeBehaviour Succeed() {
  return [](const v1::JobOptions&, std::string_view) { return FakeEnd{}; };
}

inline FakeBehaviour Hold() {
  return [](const v1::JobOptions&, std::string_view) { return std::nullopt; };
}

/// Who serves the queue instead; no addresses: nobody does.
struct FakeMove {
  std::uint64_t epoch = 0;
  std::vector<std::string> addresses = {};
  std::string queue = "sleep";
};

/// The Clients service with a server of its own, in this process. Destroying it is what `kill -9`
/// is to a frontend: streams break, jobs are forgotten.
///
/// Threads  Safe.
class FakeFrontend {
 public:
  explicit FakeFrontend(FakeBehaviour behaviour, int port = 0);
  ~FakeFrontend();

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string address() const;

  void Behave(FakeBehaviour behaviour);

  /// Ends all jobs that are held.
  void Release(const FakeEnd& end = {});

  /// From now on it takes no jobs, and says where they belong. At once it gives back `tags` of
  /// those that it holds, on the newest stream.
  void Move(const FakeMove& move, const std::vector<std::uint64_t>& tags = {});

  /// From now on it takes no jobs for `queue`, and says `move` of them: where the queue is, or to
  /// which other one they belong.
  void SendOn(const std::string& queue, const FakeMove& move);

  /// From now on it takes all jobs again.
  void Own();

  /// What the first message of each stream says from now on.
  void HasShards(std::uint32_t count);

  /// Sends an answer, to whatever `tag`, on the newest stream.
  void Answer(std::uint64_t tag, const FakeEnd& end = {});

  /// Ends the newest stream in order.
  void EndStreams(const Status& status);

  [[nodiscard]] std::uint64_t received() const;        ///< jobs that it took
  [[nodiscard]] std::set<std::uint64_t> held() const;  ///< tags of jobs without an end
  /// Of each stream that has sent something: `moved_epoch` of its first message.
  [[nodiscard]] std::vector<std::uint64_t> epochs() const;
  [[nodiscard]] std::size_t open_streams() const;

  /// Waits until `condition` holds; it is looked at when something has arrived. False: it did not
  /// within 10 seconds.
  bool Await(const std::function<bool(std::uint64_t received, std::size_t held)>& condition);

 private:
  class Service;
  class Session;

  std::unique_ptr<Service> service_;
  std::unique_ptr<rpc::Server> server_;
  int port_ = 0;
};

}  // namespace twofold::fakes
