// What a worker does with the messages of a frontend: it reads assignments (batch, gang, spec,
// arguments), lets the suite plan them, as far as that goes without starting a program, and obeys
// go, follow and cancel. Each attempt that was started has to end.

#include <google/protobuf/stubs/logging.h>

#include <boost/asio/io_context.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/agent/agent.h"
#include "backend/agent/runner.h"
#include "backend/workload/job.h"
#include "backend/workload/sleep.h"
#include "lib/common/arguments.h"
#include "lib/rpc/batches.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

using backend::AttemptId;
using backend::StopReason;

/// Obeys messages, and counts the attempts that end.
class Worker final : private backend::Runner::Listener {
 public:
  void Take(const v1::FrontendMessage& message) {
    const v1::AssignBatch& batch = message.assigns();
    if (!rpc::Check(batch).ok()) return;
    const auto gangs = backend::GangRows::Of(batch);
    if (!gangs.ok()) return;
    std::uint32_t number = 0;
    rpc::ForEach(batch, [&](const rpc::AssignRow& row) { Start(row, gangs->At(number++)); });
    rpc::ForEach(message.go(), [this](const rpc::AttemptRow& row) { runner_.Go(IdOf(row)); });
    rpc::ForEach(message.follow(),
                 [this](const rpc::AttemptRow& row) { runner_.Follow(IdOf(row), true); });
    rpc::ForEach(message.cancels(), [this](const rpc::AttemptRow& row) {
      runner_.Stop(IdOf(row), StopReason::kCancelled);
    });
    io_.poll();
    runner_.StopAll(StopReason::kHandBack);
    Require(running_.empty() && runner_.running() == 0, "each attempt ends");
  }

 private:
  static AttemptId IdOf(const rpc::AttemptRow& row) { return {row.job, row.attempt}; }

  void Start(const rpc::AssignRow& row, const backend::GangSeat* gang) {
    const std::string spec = backend::ReplaceFilename(std::string(row.spec), "/dev/dri/renderD128");
    const auto arguments = DecodeArguments(spec);
    if (!arguments.ok()) return;
    const std::vector<std::string> texts(arguments->begin(), arguments->end());
    Require(EncodeArguments(texts) == spec, "a spec says one thing");
    const AttemptId id{row.job, row.attempt};
    const backend::Job job{id, *arguments, gang};
    for (const std::string& variable : backend::JobEnvironment(job)) {
      Require(variable.starts_with("TWOFOLD_"), "jobs get our variables only");
      Require(variable.find('\0') == std::string::npos, "variables are text");
    }
    if (runner_.full() || runner_.Runs(id)) return;
    running_.insert({id.job, id.attempt});
    runner_.Start(job, Duration::zero());
  }

  void OnEnd(backend::AttemptEnd end) override {
    Require(running_.erase({end.id.job, end.id.attempt}) == 1, "an attempt ends once");
    v1::Report report;
    Require(report.ParseFromString(end.report), "reports are messages");
  }

  boost::asio::io_context io_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> running_;
  backend::Sleep sleep_{io_, {Distribution(std::chrono::hours(1))}};
  backend::Runner runner_{io_, sleep_, {.slots = 8}, *this};
};

}  // namespace
}  // namespace twofold::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold;
  const google::protobuf::LogSilencer silent;
  v1::FrontendMessage message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) return 0;
  fuzz::Worker().Take(message);
  return 0;
}
