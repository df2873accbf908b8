#pragma once

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
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

  [[nodiscard]] std::string text() const { return lines_->text(); }
  [[nodiscard]] int errors() const {
    int count = 0;
    const std::string all = text();
    for (auto at = all.find("[error]"); at != std::string::npos; at = all.find("[error]", at + 1)) {
      ++count;
    }
    return count;
  }

 private:
  // spdlog's own sinks lock in its library, where ThreadSanitizer does not see every lock.
  class Lines : public spdlog::sinks::sink {
   public:
    void log(const spdlog::details::log_msg& message) override {
      const std::lock_guard lock(mutex_);
      spdlog::memory_buf_t line;
      formatter_->format(message, line);
      text_.append(line.data(), line.size());
    }
    void flush() override {}
    void set_pattern(const std::string& pattern) override {
      set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern));
    }
    void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
      const std::lock_guard lock(mutex_);
      formatter_ = std::move(formatter);
    }
    [[nodiscard]] std::string text() const {
      const std::lock_guard lock(mutex_);
      return text_;
    }

   private:
    mutable std::mutex mutex_;
    std::unique_ptr<spdlog::formatter> formatter_ = std::make_unique<spdlog::pattern_formatter>();
    std::string text_;
  };

  std::shared_ptr<spdlog::logger> before_;
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace twofold::testing
