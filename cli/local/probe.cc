#include "cli/local/probe.h"

#include <absl/strings/str_cat.h>

#include <charconv>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "lib/http/client.h"

namespace twofold::local {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr Duration kPauseWhenSettled = std::chrono::seconds(1);
constexpr Duration kTimeout = std::chrono::seconds(1);

void Ask(const Probe::Question& question,
         const std::function<void(std::uint64_t, Registrations)>& answer) {
  if (question.frontend.empty()) return;
  const auto page = http::Get(absl::StrCat("http://", question.frontend, "/metrics"), kTimeout);
  answer(question.generation, page.ok() ? ParseRegistrations(page->body) : Registrations());
}

}  // namespace

Registrations ParseRegistrations(std::string_view metrics) {
  constexpr std::string_view kSeries = "\ntwofold_worker_processes{queue=\"";
  Registrations result;
  const std::string text = absl::StrCat("\n", std::string(metrics));
  for (std::size_t at = text.find(kSeries); at != std::string::npos; at = text.find(kSeries, at)) {
    at += kSeries.size();
    const std::size_t quote = text.find("\"} ", at);
    if (quote == std::string::npos) break;
    double count = 0;
    const auto [end, error] =
        std::from_chars(text.data() + quote + 3, text.data() + text.size(), count);
    if (error == std::errc()) result[text.substr(at, quote - at)] = static_cast<int>(count);
  }
  return result;
}

Probe::Probe(std::function<Question()> question,
             std::function<void(std::uint64_t, Registrations)> answer)
    : thread_([question = std::move(question),
               answer = std::move(answer)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any pause;
        while (!stop.stop_requested()) {
          const Question next = question();
          Ask(next, answer);
          std::unique_lock lock(mutex);
          pause.wait_for(lock, stop, next.settled ? kPauseWhenSettled : kPause,
                         [] { return false; });
        }
      }) {}

}  // namespace twofold::local
