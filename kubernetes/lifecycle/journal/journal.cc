#include "kubernetes/lifecycle/journal/journal.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/journal/journal_lines.h"
#include "lib/common/line_cutter.h"

namespace twofold::lifecycle {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr std::size_t kJournalChunk = 1 << 20;
constexpr std::size_t kLongestRecord = 16 << 20;
constexpr std::uint64_t kMiB = 1 << 20;

Status NotThere(const std::string& path, const std::string& why) {
  return absl::NotFoundError(absl::StrCat(path, ": ", why, "; FILE is what --journal has written"));
}

Status AtLine(const std::string& path, std::uint64_t number, const Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": line ", number, ": ", std::string(status.message())));
}

/// Hands over whole lines, however they are cut into chunks.
class JournalReader {
 public:
  JournalReader(const std::string& path, const TakeLine& take) : path_(path), take_(take) {}

  Status Append(std::string_view chunk) {
    Status status;
    cutter_.Append(chunk, [&](const std::string& line, bool is_whole) {
      if (status.ok()) status = is_whole ? Take(line) : TooLong();
    });
    return status.ok() && cutter_.is_too_long() ? TooLong() : status;
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of whole lines

 private:
  Status Take(const std::string& line) {
    ++lines_;
    bytes_ += line.size() + 1;
    const Status status = take_(line);
    return status.ok() ? status : AtLine(path_, lines_, status);
  }

  Status TooLong() {
    return AtLine(path_, lines_ + 1, absl::InvalidArgumentError("longer than 16 MiB"));
  }

  const std::string& path_;
  const TakeLine& take_;
  LineCutter cutter_{kLongestRecord};
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

Result<std::uint64_t> ReadAll(int file, const std::string& path, const TakeLine& take) {
  JournalReader reader(path, take);
  std::vector<char> chunk(kJournalChunk);
  for (;;) {
    const ssize_t got = read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return NotThere(path, std::strerror(errno));
    if (got == 0) break;
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    if (Status status = reader.Append(bytes); !status.ok()) return status;
  }
  if (reader.bytes() > 0) return reader.bytes();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": it has no whole line, so it is no journal"));
}

}  // namespace

Result<std::uint64_t> ReadJournal(const std::string& path, const TakeLine& take) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return NotThere(path, std::strerror(errno));
  return ReadAll(file.get(), path, take);
}

Hearer HearerOf(Journal& journal, const Kind& kind, const Anchor& anchor) {
  return
      [&journal, &kind, anchor](const Input& input) { journal.Write(LineOf(input, kind, anchor)); };
}

Result<std::unique_ptr<Journal>> Journal::Create(const JournalSettings& settings) {
  Descriptor file(
      open(settings.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kOwnerOnly));
  if (file.get() < 0 && errno == EEXIST) {
    return absl::FailedPreconditionError(
        absl::StrCat("--journal: ", settings.file,
                     " is there already: `twofold lifecycle watch --journal` goes on with it, "
                     "`twofold lifecycle report` reads it"));
  }
  if (file.get() < 0 || flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--journal: ", settings.file, ": ", std::strerror(errno)));
  }
  return std::unique_ptr<Journal>(new Journal(settings, std::move(file), 0));
}

Result<std::unique_ptr<Journal>> Journal::Continue(const JournalSettings& settings,
                                                   const TakeLine& take) {
  Descriptor file(open(settings.file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) return NotThere(settings.file, std::strerror(errno));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--journal: another process writes ", settings.file, "; give this one a file of its own"));
  }
  const auto whole = ReadAll(file.get(), settings.file, take);
  if (!whole.ok()) return whole.status();
  if (ftruncate(file.get(), static_cast<off_t>(*whole)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--journal: ", settings.file, ": ", std::strerror(errno)));
  }
  return std::unique_ptr<Journal>(new Journal(settings, std::move(file), *whole));
}

Journal::Journal(const JournalSettings& settings, Descriptor file, std::uint64_t bytes)
    : path_(settings.file),
      most_(settings.limit_mib * kMiB),
      file_(std::move(file)),
      bytes_(bytes),
      thread_([this] { Work(); }) {}

Journal::~Journal() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

Status Journal::failure() {
  MutexLock lock(mutex_);
  return failure_;
}

void Journal::Write(std::string line) {
  MutexLock lock(mutex_);
  if (!failure_.ok()) return;
  const std::string last = FullLine();
  if (bytes_ + line.size() + last.size() > most_) {
    waiting_ += last;
    Fail(absl::ResourceExhaustedError(
        absl::StrCat(most_ / kMiB, " MiB are its limit, see --journal-limit")));
  } else if (waiting_.size() + line.size() > kMostWaiting) {
    Fail(absl::InternalError("the disk is too slow for it"));
  } else {
    bytes_ += line.size();
    waiting_ += line;
  }
  changed_.NotifyAll();
}

void Journal::Flush() {
  MutexLock lock(mutex_);
  hurry_ = true;
  changed_.NotifyAll();
  while (!waiting_.empty() || writing_) changed_.Wait(mutex_);
  hurry_ = false;
}

void Journal::Fail(const Status& status) {
  if (!failure_.ok()) return;
  failure_ = {status.code(),
              absl::StrCat("the journal ", path_, " ends early: ", std::string(status.message()))};
}

/// What is to be written next; empty: nothing more.
std::string Journal::TakeWaiting() {
  constexpr Duration kGather = kLatest / 2;
  MutexLock lock(mutex_);
  while (!stopped_ && waiting_.empty()) changed_.Wait(mutex_);
  const Instant end = Now() + kGather;
  while (!stopped_ && !hurry_ && changed_.WaitUntil(mutex_, end)) {
  }
  writing_ = !waiting_.empty();
  return std::exchange(waiting_, {});
}

void Journal::Work() {
  for (std::string text = TakeWaiting(); !text.empty(); text = TakeWaiting()) {
    const bool written = WriteAll(file_.get(), text);
    const int error = errno;
    MutexLock lock(mutex_);
    writing_ = false;
    if (!written) Fail(absl::InternalError(std::strerror(error)));
    changed_.NotifyAll();
  }
}

}  // namespace twofold::lifecycle
