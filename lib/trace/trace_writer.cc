#include "lib/trace/trace_writer.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "lib/trace/codec.h"

namespace twofold::queue::trace {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);  // what a killed program may lose
constexpr std::size_t kLarge = std::size_t{1} << 20;

void KeepOld(const std::string& path) {
  struct stat status {};
  const bool is_file = lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_file) std::rename(path.c_str(), (path + ".old").c_str());
}

// False: errno says why.
bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::Open(const std::string& path) {
  KeepOld(path);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || !WriteAll(file, Header())) {
    const std::string why = std::strerror(errno);
    if (file >= 0) ::close(file);
    return absl::InvalidArgumentError(absl::StrCat("trace: cannot write ", path, ": ", why));
  }
  return std::unique_ptr<TraceWriter>(new TraceWriter(path, file));
}

TraceWriter::TraceWriter(std::string path, int file)
    : path_(std::move(path)), file_(file), thread_([this] { WriteInTurns(); }) {}

TraceWriter::~TraceWriter() {
  std::string end;
  Encoder(end).Number(static_cast<std::uint64_t>(RecordKind::kEnd));
  Add(end);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  ::close(file_);
}

std::unique_ptr<QueueRecorder> TraceWriter::Record(std::string_view queue,
                                                   const QueueOptions& options) {
  const std::lock_guard lock(queues_mutex_);  // their records are in the order of their numbers
  return std::make_unique<QueueRecorder>(*this, queues_++, queue, options);
}

void TraceWriter::Add(std::string_view body) {
  if (!open()) return;
  if (body.size() > kLargestRecord) return GiveUp("a call is too large for it");
  std::size_t had = 0;
  std::size_t has = 0;
  {
    const std::lock_guard lock(mutex_);
    had = waiting_.size();
    AppendRecord(waiting_, body);
    has = waiting_.size();
  }
  if (has > kMostWaiting) return GiveUp("the disk is too slow for it");
  if (had < kLarge && has >= kLarge) wake_.notify_one();
}

void TraceWriter::WriteInTurns() {
  std::string writing;
  bool broken = false;
  std::unique_lock lock(mutex_);
  for (bool more = true; more;) {
    wake_.wait_for(lock, kPatience, [this] { return stopping_ || waiting_.size() >= kLarge; });
    more = !stopping_;
    std::swap(writing, waiting_);
    lock.unlock();
    if (!broken && !WriteAll(file_, writing)) {
      broken = true;
      GiveUp(std::strerror(errno));
    }
    writing.clear();
    lock.lock();
  }
}

void TraceWriter::GiveUp(std::string_view why) {
  if (gave_up_.exchange(true)) return;
  spdlog::error("the trace {} ends here: {}; serving goes on", path_, why);
  open_.store(false, std::memory_order_release);  // whoever sees it closed finds the line written
}

}  // namespace twofold::queue::trace
