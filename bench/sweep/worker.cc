// A worker that answers each job at once with the result of a benchmark: what is measured is what
// becomes of results. See run.sh.
//
//     sweep_worker HOST:PORT QUEUE SLOTS

#include <unistd.h>

#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <string>

#include "bench/sweep/result.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/loop_thread.h"
#include "twofold/v1/queue.pb.h"

namespace twofold {
namespace {

using Stream = rpc::ClientStream<v1::WorkerMessage, v1::FrontendMessage>;

std::string ReportOf(std::uint64_t job) {
  v1::Report report;
  report.set_data(results::SweepResult(job).SerializeAsString());
  return report.SerializeAsString();
}

v1::WorkerMessage HelloTo(const std::string& queue, std::uint32_t slots) {
  v1::WorkerMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_queue(queue);
  hello.set_process_key(static_cast<std::uint64_t>(getpid()));
  hello.set_node("node");
  hello.set_pod("sweep-worker");
  hello.set_slots(slots);
  return message;
}

void Answer(Stream& stream, const v1::AssignBatch& jobs) {
  rpc::ForEach(jobs, [&](const rpc::AssignRow& row) {
    const std::string report = ReportOf(row.job);
    rpc::WorkerResultRow result;
    result.job = row.job;
    result.attempt = row.attempt;
    result.run_ns = 1000;
    result.report = report;
    stream.Add(
        [&](v1::WorkerMessage& next) { return rpc::Append(*next.mutable_results(), result); });
  });
  stream.Flush();
}

/// Until the frontend ends.
void Work(const std::string& address, const v1::WorkerMessage& hello) {
  rpc::LoopThread loop{h2::Budgets()};
  std::promise<Status> ended;
  std::weak_ptr<Stream> weak;
  const auto stream = std::make_shared<Stream>(
      [&weak](const v1::FrontendMessage& message) {
        if (const auto open = weak.lock()) Answer(*open, message.assigns());
      },
      [&ended](const Status& status) { ended.set_value(status); });
  weak = stream;
  stream->Add([&](v1::WorkerMessage& next) {
    next.MergeFrom(hello);
    return std::size_t{1};
  });
  stream->Start(rpc::Channel::Connect(loop, address, {}), {.path = "/twofold.v1.Workers/Work"});
  stream->Flush();
  std::cerr << "ended: " << ended.get_future().get().message() << '\n';
}

}  // namespace
}  // namespace twofold

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: sweep_worker HOST:PORT QUEUE SLOTS\n";
    return 2;
  }
  const auto slots = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  twofold::Work(argv[1], twofold::HelloTo(argv[2], slots));
}
