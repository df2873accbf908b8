#include "lib/common/program.h"

#include <absl/strings/str_cat.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/file.h"
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

// Wake uses a signal as well, so that Wait is one system call.
constexpr int kWake = SIGUSR2;

sigset_t Handled() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT, kWake}) sigaddset(&set, number);
  return set;
}

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

ShutdownSignals::ShutdownSignals() {
  const sigset_t set = Handled();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int ShutdownSignals::Wait() {
  const sigset_t set = Handled();
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  return number == kWake ? 0 : number;
}

bool ShutdownSignals::Pending() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

void ShutdownSignals::Wake() { kill(getpid(), kWake); }

void RestoreSignalsInChild() {
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

Status WriteReadyFile(const std::string& path,
                      const std::map<std::string, std::string>& addresses) {
  std::string json = absl::StrCat("{\"pid\": ", getpid());
  for (const auto& [name, address] : addresses) {
    absl::StrAppend(&json, ", \"", name, "\": \"", address, "\"");
  }
  const Status status = WriteFile(path, json + "}\n");
  if (status.ok()) return status;
  return {status.code(), absl::StrCat("the ready file ", std::string(status.message()))};
}

}  // namespace twofold
