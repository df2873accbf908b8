#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "lib/common/descriptors.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/trace/queue_recorder.h"
#include "lib/trace/record.h"

namespace twofold::queue::trace {

/// A trace file that is being written, by a thread of its own: callers put records into a buffer
/// and never wait for the disk. The buffer goes to the file each second or when it is large, and at
/// the end. So a program that is killed leaves all but its last second.
///
/// All queues share the file: there is one name to give and one end to everything, and the order of
/// what happened in different queues can be seen.
///
/// Threads  Safe. The lock is a leaf, held for a copy of the record.
/// Errors   A write that fails, or a disk so slow that kMostWaiting bytes wait, ends the trace,
///          with one line in the log. What is in the file by then stays good to replay.
class TraceWriter final : public RecordSink {
 public:
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

  /// Starts a file. If there is one already, from an earlier life of the program, it is kept as
  /// PATH.old (replacing that). Readable for the owner only: specs may be confidential.
  static Result<std::unique_ptr<TraceWriter>> Open(const std::string& path);
  ~TraceWriter() override;

  /// One for each queue; all of them must be gone before the writer.
  std::unique_ptr<QueueRecorder> Record(std::string_view queue, const QueueOptions& options);

  void Add(std::string_view body) override;
  [[nodiscard]] bool open() const override { return open_.load(std::memory_order_acquire); }

 private:
  TraceWriter(std::string path, Descriptor file);

  void WriteInTurns();
  bool TakeTurn(std::string& writing);
  void GiveUp(std::string_view why);

  const std::string path_;
  const Descriptor file_;
  std::atomic<bool> open_ = true;
  std::atomic<bool> gave_up_ = false;

  Mutex queues_mutex_;  // taken before mutex_
  std::uint32_t queues_ ABSL_GUARDED_BY(queues_mutex_) = 0;

  Mutex mutex_;
  Condition wake_;
  std::string waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace twofold::queue::trace
