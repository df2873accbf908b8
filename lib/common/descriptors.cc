#include "lib/common/descriptors.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace twofold {
namespace {

std::atomic<rlim_t> soft_before = 0;  // 0: not raised

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::size_t RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) {
    return DescriptorLimit();
  }
  const rlim_t soft = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && soft_before == 0) soft_before = soft;
  return DescriptorLimit();
}

std::size_t DescriptorLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

void RestoreDescriptorLimitInChild() {
  rlimit limit{};
  if (soft_before == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft_before;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace twofold
