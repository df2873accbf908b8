#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// Another frontend, or this one, as the database has it.
struct Peer {
  std::string name;
  std::string client_address;
  std::string worker_address;
  bool leaves = false;  ///< it has handed all over, and is about to end
};

/// Who serves a queue.
struct Owner {
  std::uint64_t epoch = 0;
  Peer peer = {};     ///< no name: nobody, or somebody who may be dead
  bool here = false;  ///< this frontend does
};

/// What jobs that wait for an owner of their queue may take of memory, in all: some two million
/// that came in large messages. Nothing else bounds a client that goes on submitting while
/// nobody serves its queue.
inline constexpr std::size_t kMostWaitingBytes = std::size_t{16} << 20;

/// Who serves which queue, where several frontends share them: what callers are told who come to
/// the wrong one.
///
/// Threads  Safe. Callbacks come from the thread that asks or publishes, with no lock held.
/// Cost     A lock and a look-up; Publish looks at all who wait.
class Directory {
 public:
  /// Who waits for an owner is told after so long that there is none, and asks again.
  explicit Directory(Duration patience) : patience_(patience) {}

  /// What is known now: owners by the names of the queues, and the other frontends that are alive.
  void Publish(std::map<std::string, Owner> owners, std::vector<Peer> others, Instant now);

  /// This frontend is about to serve the queue no more: who comes waits for the next owner.
  void Leave(std::string_view queue);

  [[nodiscard]] std::vector<Peer> Others() const;

  /// An owner without a name: nobody serves it.
  [[nodiscard]] Owner Find(std::string_view queue) const;

  /// Calls `tell` once, with where the queue is served: at once, or when it is known. The caller
  /// may know a newer epoch than this frontend does: then what this one knows does not count yet.
  ///
  /// `bytes` is what jobs take that wait with the caller. When all that wait have
  /// kMostWaitingBytes, further ones are told at once that there is nobody.
  void Await(const std::string& queue, std::uint64_t newest_known,
             std::function<void(v1::Moved)> tell, std::size_t bytes = 0);

  /// All who wait are told that there is nobody, and all who come.
  void Stop();

 private:
  struct Waiting {
    std::string queue;
    std::uint64_t newest_known;
    Instant until;
    std::function<void(v1::Moved)> tell;
    std::size_t bytes;
  };

  /// Whether it is known, and then what.
  bool Answer(const std::string& queue, std::uint64_t newest_known, v1::Moved* moved) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Duration patience_;
  mutable Mutex mutex_;
  std::map<std::string, Owner, std::less<>> owners_ ABSL_GUARDED_BY(mutex_);
  std::vector<Peer> others_ ABSL_GUARDED_BY(mutex_);
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  std::size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold::frontend
