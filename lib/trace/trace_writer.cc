#include "lib/trace/trace_writer.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::queue::trace {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);  // what a killed program may lose
constexpr std::size_t kLarge = std::size_t{1} << 20;

void KeepOld(const std::string& path) {
  struct stat status {};
  const bool is_file = lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_file) std::rename(path.c_str(), (path + ".old").c_str());
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::Open(const std::string& path) {
  KeepOld(path);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.get() < 0 || !WriteAll(file.get(), Header())) {
    return absl::InvalidArgumentError(
        absl::StrCat("trace: cannot write ", path, ": ", std::strerror(errno)));
  }
  return std::unique_ptr<TraceWriter>(new TraceWriter(path, std::move(file)));
}

TraceWriter::TraceWriter(std::string path, Descriptor file)
    : path_(std::move(path)), file_(std::move(file)), thread_([this] { WriteInTurns(); }) {}

TraceWriter::~TraceWriter() {
  proto::Record end;
  end.mutable_end();
  Add(end.SerializeAsString());
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyOne();
  thread_.join();
}

std::unique_ptr<QueueRecorder> TraceWriter::Record(std::string_view queue,
                                                   const QueueOptions& options) {
  const MutexLock lock(queues_mutex_);  // their records are in the order of their numbers
  return std::make_unique<QueueRecorder>(*this, queues_++, queue, options);
}

void TraceWriter::Add(std::string_view body) {
  if (!open()) return;
  if (body.size() > kLargestRecord) return GiveUp("a call is too large for it");
  std::size_t had = 0;
  std::size_t has = 0;
  {
    const MutexLock lock(mutex_);
    had = waiting_.size();
    AppendRecord(waiting_, body);
    has = waiting_.size();
  }
  if (has > kMostWaiting) return GiveUp("the disk is too slow for it");
  if (had < kLarge && has >= kLarge) wake_.NotifyOne();
}

void TraceWriter::WriteInTurns() {
  std::string writing;
  bool broken = false;
  for (bool more = true; more;) {
    more = TakeTurn(writing);
    if (broken || WriteAll(file_.get(), writing)) continue;
    broken = true;
    GiveUp(std::strerror(errno));
  }
}

// Waits until there is something to write; false: it is the last.
bool TraceWriter::TakeTurn(std::string& writing) {
  writing.clear();
  const Instant turn = Now() + kPatience;
  const MutexLock lock(mutex_);
  while (!stopping_ && waiting_.size() < kLarge && wake_.WaitUntil(mutex_, turn)) {
  }
  std::swap(writing, waiting_);
  return !stopping_;
}

void TraceWriter::GiveUp(std::string_view why) {
  if (gave_up_.exchange(true)) return;
  spdlog::error("the trace {} ends here: {}; serving goes on", path_, why);
  open_.store(false, std::memory_order_release);  // whoever sees it closed finds the line written
}

}  // namespace twofold::queue::trace
