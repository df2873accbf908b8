#pragma once

#include <absl/strings/str_cat.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::security {

/// The contents of a small file. `flag` is the flag that named it, for messages.
/// Errors   kInvalidArgument: why it cannot be read, or that it is longer than 1 MiB.
Result<std::string> ReadFile(const std::string& flag, const std::string& path);

namespace internal {

/// A text that changes when the file at `path` does: a new file in its place (also behind a
/// symbolic link, as Kubernetes replaces the files of a Secret), or new contents. Empty: no file.
///
/// Cost     One system call.
std::string Fingerprint(const std::string& path);

// Outside the template, so that its users need not compile the logger's header.
void LogLoaded(const std::string& path);
void LogKept(const Status& why);

}  // namespace internal

/// A value made from files, and made again when one of them has changed. Files are checked on use,
/// so there is no thread and no delay. An unusable file is logged once, and the old value stays.
///
/// Threads  Safe. Callers may keep an older value as long as they like.
/// Cost     Get: one system call a file; meant for calls and connections, not for messages.
template <typename T>
class Reloaded {
 public:
  using Load = std::function<Result<T>()>;

  /// Errors   those of `load`, the first time.
  static Result<std::shared_ptr<Reloaded>> Open(std::vector<std::string> paths, Load load) {
    std::shared_ptr<Reloaded> made(new Reloaded(std::move(paths), std::move(load)));
    const MutexLock lock(made->mutex_);
    made->seen_ = made->Fingerprints();
    Result<T> value = made->load_();
    if (!value.ok()) return value.status();
    made->value_ = std::make_shared<const T>(*std::move(value));
    return made;
  }

  std::shared_ptr<const T> Get() {
    const MutexLock lock(mutex_);
    // Before loading, so that a change during the load is seen the next time.
    std::string now = Fingerprints();
    if (now == seen_) return value_;
    seen_ = std::move(now);
    Result<T> value = load_();
    if (value.ok()) {
      value_ = std::make_shared<const T>(*std::move(value));
      internal::LogLoaded(paths_.front());
    } else {
      internal::LogKept(value.status());
    }
    return value_;
  }

 private:
  Reloaded(std::vector<std::string> paths, Load load)
      : paths_(std::move(paths)), load_(std::move(load)) {}

  std::string Fingerprints() const {
    std::string all;
    for (const std::string& path : paths_) absl::StrAppend(&all, internal::Fingerprint(path), ";");
    return all;
  }

  const std::vector<std::string> paths_;
  const Load load_;
  Mutex mutex_;
  std::string seen_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::security
