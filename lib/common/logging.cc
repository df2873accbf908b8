#include "lib/common/logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/printable.h"

namespace twofold {
namespace {

constexpr std::size_t kMostOfLine = 16 << 10;

// The message as one line of text, whatever names of others are in it.
class CleanMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& to) override {
    const std::string_view raw(message.payload.data(), message.payload.size());
    const std::string text = Printable(raw, kMostOfLine);
    to.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<CleanMessage>();
  }
};

}  // namespace

void InitLogging(bool verbose) {
  auto logger = spdlog::stderr_logger_mt("twofold");
  auto lines = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  lines->add_flag<CleanMessage>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %*");
  logger->set_formatter(std::move(lines));
  logger->set_level(verbose ? spdlog::level::debug : spdlog::level::info);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace twofold
