#pragma once

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace twofold::testing {

/// What is logged while it lives, by any thread.
class LogCapture {
 public:
  LogCapture() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", lines_));
  }
  ~LogCapture() { spdlog::set_default_logger(before_); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines_->last_formatted()) all += line;
    return all;
  }
  [[nodiscard]] int errors() const {
    int count = 0;
    const std::string all = text();
    for (auto at = all.find("[error]"); at != std::string::npos; at = all.find("[error]", at + 1)) {
      ++count;
    }
    return count;
  }

 private:
  static constexpr std::size_t kMost = 10'000;

  std::shared_ptr<spdlog::logger> before_;
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> lines_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(kMost);
};

}  // namespace twofold::testing
