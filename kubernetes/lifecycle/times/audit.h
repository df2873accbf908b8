#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/differences.h"

namespace twofold::lifecycle {

struct AuditCounts {
  std::uint64_t lines = 0;
  std::uint64_t torn = 0;     ///< no whole JSON, as at the ends of rotated files; or too long
  std::uint64_t matched = 0;  ///< requests about objects of the run
  std::uint64_t unnamed = 0;  ///< creations of pods that the server names, but not in the log
  std::uint64_t blind = 0;    ///< patches of pods' status whose content is not in the log
};

/// Reads the audit log of an API server, line by line, for what it says of the objects of a run:
/// when requests were received and when they were done, in microseconds.
///
/// Threads  Not thread-safe.
/// Cost     A line that is about something else is searched, the others are parsed. Memory:
///          some 200 bytes an object of the run, however long the log is.
class AuditNotes {
 public:
  /// Both must outlive it. Requests from before `begin` are those of an earlier run, which may have
  /// had the same name.
  AuditNotes(const Kind& kind, const std::vector<Life>& lives, UnixNs begin);

  /// One line without its end.
  void Line(std::string_view line);

  /// A line that was too long to be read.
  void SkippedLine() {
    ++counts_.lines;
    ++counts_.torn;
  }

  [[nodiscard]] std::vector<EvidenceRow> Rows(const ClockFit& clocks) const;
  [[nodiscard]] const AuditCounts& counts() const { return counts_; }

 private:
  struct Request {
    UnixNs received = 0;  // 0: none
    UnixNs done = 0;
  };
  struct Pod {
    std::size_t life;
    std::size_t pod;
    Request created = {};
    Request bound = {};
    std::array<Request, kPodPhases> shown = {};  // by patches of its status
  };

  void Take(const Object& entry);
  void TakeOwn(const std::string& key, const Request& request);
  void TakePod(const Object& entry, const std::string& space, const Request& request);
  void TakeStatus(const Object& entry, Pod& pod, const Request& request);
  Pod* FindPod(const std::string& space, const std::string& name);
  [[nodiscard]] bool MayMatter(std::string_view line) const;

  const Kind& kind_;
  const std::vector<Life>& lives_;
  const UnixNs begin_;
  AuditCounts counts_;
  std::vector<Request> own_;  // by life
  std::vector<Pod> pods_;
  std::unordered_map<std::string, std::size_t> lives_by_name_;  // "namespace/name"
  std::unordered_map<std::string, std::size_t> pods_by_name_;
};

}  // namespace twofold::lifecycle
