#include "cli/store/progress_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "lib/common/time_left.h"

namespace twofold::cli {
namespace {

// A rate of less time than this says nothing.
constexpr Duration kFirstRate = std::chrono::milliseconds(500);

}  // namespace

std::string ProgressText(const results::CopyProgress& progress, Duration since) {
  using Phase = results::CopyProgress::Phase;
  const auto done = static_cast<double>(progress.done);
  const auto all = static_cast<double>(progress.all);
  std::string text = absl::StrFormat("%s %s: %d of %d rows (%.0f %%)",
                                     progress.phase == Phase::kCopying ? "copying" : "verifying",
                                     progress.table, progress.done, progress.all, 100 * done / all);
  if (since < kFirstRate) return text;
  const double rate = done / ToSeconds(since);
  absl::StrAppendFormat(&text, ", %.0f rows/s, ", rate);
  absl::StrAppend(&text, TimeLeftText(FromSeconds((all - done) / rate)), " left");
  return text;
}

}  // namespace twofold::cli
