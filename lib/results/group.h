#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lib/results/records.h"

namespace twofold::results {

/// What a group of records comes to for one job: only the last state that it reached counts.
struct JobChange {
  using State =
      std::variant<std::monostate, const AttemptGivenUp*, const AttemptStarted*, const JobEnded*>;

  JobId job = 0;
  const JobAccepted* accepted = nullptr;
  State state = {};
  JobId requeued_as = 0;
};

/// What a group of records comes to. Points into the records.
struct GroupChange {
  std::vector<JobChange> jobs;  ///< in the order in which they first appear
  std::map<std::string, std::uint64_t> sequences;
  std::vector<const RunCreated*> created;
  std::vector<const RunCancelled*> cancelled;
  JobId accepted_twice = 0;  ///< an id that different jobs have; 0: none
};

/// Cost     O(records): one look-up by hash each.
GroupChange Fold(std::span<const Record> records);

}  // namespace twofold::results
