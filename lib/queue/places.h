#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/queue/intrusive_list.h"

namespace twofold::queue {

struct Process;

/// Which processes have a label or are on a node, and which of these are idle.
///
/// Processes are named by their index in the table. Idle ones are listed for those lines only that
/// somebody has asked for: with no placements in use, a job costs nothing here.
///
/// Cost     Enter, Leave O(log p) for each line of the process, with p processes that have it.
///          BecameIdle, LeftIdle O(1) for each line of the process that somebody has asked for.
class Places {
 public:
  /// The processes that have a line.
  struct Having {
    std::set<Slot> processes;
    bool is_watched = false;  // `idle` is kept
    std::list<Slot> idle;     // longest first
  };
  using Line = std::pair<const std::string, Having>;

  /// `processes` is the table.
  explicit Places(const std::vector<Process>& processes) : processes_(processes) {}
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// A process is there with these labels, on this node, and not idle.
  void Enter(Slot process, std::string_view labels, std::string_view node);
  /// No-op if it is not there. REQUIRES: it is not idle.
  void Leave(Slot process);

  void BecameIdle(Slot process) {
    if (is_watching_) SitDown(process);
  }
  void LeftIdle(Slot process) {
    if (is_watching_) StandUp(process);
  }

  /// The lines that a placement may have of this process: its labels, its node, and "", which every
  /// process has.
  [[nodiscard]] const std::vector<Line*>& LinesOf(Slot process) const {
    return entries_[process].lines;
  }

  /// Whoever suits the placement has one of these lines: a node, or the label that fewest processes
  /// have.
  [[nodiscard]] std::vector<std::string> RarestLines(std::string_view placement) const;

  /// The processes that have one of these lines.
  [[nodiscard]] std::vector<Slot> MaySuit(std::string_view placement) const;

  /// Those with one of the lines, each named once, that have become idle after that
  /// (Process::idle_since), in this order, until `visit` returns false. `visit` may make the
  /// process that it is given leave the idle ones.
  void VisitIdle(const std::vector<std::string>& lines, std::uint64_t after,
                 const std::function<bool(Slot)>& visit);

 private:
  /// Where a process stands in the list of a line that is watched.
  struct Seat {
    Having* line;
    std::list<Slot> outside;  // has the only entry while the process is not idle
    std::list<Slot>::iterator entry;
  };
  struct Entry {
    std::vector<Line*> lines;
    std::vector<Seat> seats;
  };

  [[nodiscard]] std::size_t CountWith(const std::string& line) const;
  void Join(Slot process, const std::string& line);
  [[nodiscard]] std::list<Slot>::iterator FirstAfter(std::list<Slot>& idle,
                                                     std::uint64_t after) const;
  void Watch(Having& line);
  void AddSeat(Slot process, Having& line);
  void SitDown(Slot process);
  void StandUp(Slot process);

  const std::vector<Process>& processes_;
  bool is_watching_ = false;                       // of some line
  std::vector<Entry> entries_;                     // by process
  std::unordered_map<std::string, Having> lines_;  // nodes of the map: entries point to them
};

}  // namespace twofold::queue
