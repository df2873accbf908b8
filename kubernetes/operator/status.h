#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/api/fields.h"
#include "kubernetes/controller/conditions.h"
#include "kubernetes/operator/runs.h"

/// The status of a Benchmark, as it shall be written. Pure.
namespace twofold::benchmarks {

/// A status that begins as the object's is, and is changed piece by piece.
class StatusDraft {
 public:
  /// `now` is written as the time of what changes.
  StatusDraft(const kube::Json& benchmark, kube::UnixTime now);

  /// Puts the condition there. True: its status or reason is another than before.
  bool Set(const controller::StatusCondition& condition);

  /// A field at the top.
  void SetField(const char* name, kube::Json value) { status_[name] = std::move(value); }
  void EraseField(const char* name) { status_.erase(name); }

  void SetCounts(const RunLook& look);
  void SetResults(const Results& results);
  void SetVerdict(const cli::Verdict& verdict);

  /// Whether it differs from what the object has.
  [[nodiscard]] bool has_changed() const { return status_ != before_; }

  /// What server-side apply of the status takes.
  [[nodiscard]] kube::Json Object() const;

  [[nodiscard]] const kube::Json& status() const { return status_; }

 private:
  const kube::Json& benchmark_;
  const kube::UnixTime now_;
  const kube::Json before_;
  kube::Json status_;
};

/// "9.41 Gbit/s ± 0.05"; of several permutations "9.41 .. 37.2 Gbit/s", by their first headline.
/// Empty: there are none.
std::string ResultText(const std::vector<Headline>& headlines);

inline constexpr std::size_t kMostResults = 20;     ///< in a status
inline constexpr std::size_t kLongestVaried = 256;  ///< bytes

}  // namespace twofold::benchmarks
