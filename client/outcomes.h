#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/common/printable.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::client {

/// "succeeded", "failed", "timed_out", ... as in metrics and JSON.
std::string_view Name(v1::Outcome outcome);

/// Why a job did not succeed: the reason in its serialized v1::Report, else the exit code, the
/// signal or the outcome; plus the last line that a failed program printed, made printable, at most
/// 200 bytes of it.
std::string ErrorText(v1::Outcome outcome, std::string_view report);

/// Counts error texts. They come from outside, so the number of different texts and their length
/// are bounded; further texts count as "other".
class ErrorCounts {
 public:
  static constexpr std::size_t kMost = 100;      ///< texts told apart, "other" not among them
  static constexpr std::size_t kMaxBytes = 300;  ///< of a text; the rest is cut off

  using Map = std::map<std::string, std::uint64_t, std::less<>>;

  void Add(std::string_view text) {
    std::string line = Printable(text, kMaxBytes);
    const bool known = counts_.contains(line);
    ++counts_[known || counts_.size() < kMost ? std::move(line) : "other"];
  }

  [[nodiscard]] const Map& all() const { return counts_; }

 private:
  Map counts_;
};

}  // namespace twofold::client
