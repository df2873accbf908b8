#include "backend/benchmark/offers.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "backend/workload/after.h"
#include "lib/common/printable.h"
#include "lib/process/environment.h"
#include "lib/process/process.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

constexpr Duration kProbeLimit = std::chrono::seconds(30);
constexpr std::size_t kMostPrinted = 64 << 10;

// How a probe went.
struct Answer {
  std::string out;  ///< the beginning of what it printed
  std::optional<process::Exit> exit;
};

// Runs it to its end.
Result<Answer> Run(boost::asio::io_context& io, process::Reaper& reaper,
                   std::vector<std::string> argv) {
  Answer answer;
  const auto printed = [&answer](std::string_view bytes) {
    answer.out.append(bytes.substr(0, kMostPrinted - answer.out.size()));
  };
  auto process = process::Process::Start(
      io, reaper, {.argv = std::move(argv), .null_in = true},
      {.ended = [&answer](const process::ProgramEnd& end) { answer.exit = end.exit; },
       .printed = printed});
  if (!process.ok()) return process.status();
  (*process)->Follow(true);
  boost::asio::steady_timer limit(io);
  After(limit, kProbeLimit, std::weak_ptr(*process), [](process::Process& asked) { asked.Stop(); });
  while (!answer.exit && io.run_one() > 0) {
  }
  return answer;
}

Result<suite::Labels> Ask(boost::asio::io_context& io, process::Reaper& reaper,
                          const suite::Suite& suite, const BenchmarkOptions& options) {
  std::vector<std::string> argv;
  for (const char* const word : suite.probe) {
    if (word != nullptr) argv.emplace_back(word);
  }
  const auto program = process::FindProgram(argv[0], {ProgramFolders(options), InheritedPath()});
  if (!program.ok()) return absl::NotFoundError(suite::NotInstalled(argv[0]));
  argv[0] = *program;
  const Result<Answer> answer = Run(io, reaper, argv);
  if (!answer.ok()) return answer.status();
  suite::StageOutput output{.stage = "probe", .argv = argv, .out = answer->out};
  if (answer->exit) {
    output.exit_code = answer->exit->code;
    output.signal = answer->exit->signal;
  }
  Result<suite::Labels> labels = suite.offer(output);
  if (!labels.ok()) return labels;
  for (auto& [name, value] : *labels) value = Printable(value, rpc::kMaxNameBytes);
  return labels;
}

}  // namespace

std::vector<std::string> ProgramFolders(const BenchmarkOptions& options) {
  std::vector<std::string> folders = options.suite_path;
  if (std::string own = process::OwnFolder(); !own.empty()) folders.push_back(std::move(own));
  return folders;
}

std::string InheritedPath() {
  const char* const path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

Offers AskOffers(boost::asio::io_context& io, process::Reaper& reaper,
                 const std::vector<const suite::Suite*>& suites, const BenchmarkOptions& options) {
  Offers offers;
  for (const suite::Suite* suite : suites) {
    if (suite->probe[0] == nullptr) {
      offers.suites.push_back(suite);
      continue;
    }
    Result<suite::Labels> labels = Ask(io, reaper, *suite, options);
    if (labels.ok()) {
      offers.suites.push_back(suite);
      offers.labels.merge(*labels);
    } else {
      offers.missing.push_back(
          absl::StrCat(std::string(suite->name), ": ", std::string(labels.status().message())));
    }
  }
  return offers;
}

}  // namespace twofold::backend
