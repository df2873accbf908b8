#pragma once

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/trace/queue_recorder.h"
#include "lib/trace/record.h"
#include "lib/trace/replay.h"

namespace twofold::queue::trace {

/// A trace file in memory.
class MemoryFile : public RecordSink {
 public:
  void Add(std::string_view body) override { bodies_.emplace_back(body); }
  [[nodiscard]] bool open() const override { return true; }

  std::unique_ptr<QueueRecorder> Record(std::string_view queue, const QueueOptions& options = {}) {
    return std::make_unique<QueueRecorder>(*this, queues_++, queue, options);
  }
  void End() {
    proto::Record record;
    record.mutable_end();
    Add(record.SerializeAsString());
  }

  std::vector<std::string>& bodies() { return bodies_; }
  [[nodiscard]] std::string bytes() const {
    std::string file = Header();
    for (const std::string& body : bodies_) AppendRecord(file, body);
    return file;
  }

 private:
  std::vector<std::string> bodies_;
  std::uint32_t queues_ = 0;
};

inline Result<ReplayReport> ReplayBytes(const std::string& bytes,
                                        const ReplayOptions& options = {}) {
  std::istringstream in(bytes);
  return Replay(in, options);
}

/// All that --print shows.
inline std::string Printed(const std::string& bytes, ReplayOptions options = {}) {
  std::string text;
  options.print = [&](const std::string& line) { text += line + "\n"; };
  const auto report = ReplayBytes(bytes, options);
  return report.ok() ? text : std::string(report.status().message());
}

}  // namespace twofold::queue::trace
