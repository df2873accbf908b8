#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/queues/flush_list.h"
#include "lib/results/journal.h"

namespace twofold::frontend {

/// What a turn has decided about durable jobs: the records of it, and the messages that may go out
/// only when those are on disk. All messages about a durable job go this way, so that they keep
/// their order.
class CommitBatch {
 public:
  using Action = std::function<void(FlushList&)>;

  void Record(results::Record record) { records_.push_back(std::move(record)); }
  void Then(Action action) { actions_.push_back(std::move(action)); }
  /// Is read before the actions are called. REQUIRES: something is recorded, too.
  void Want(std::shared_ptr<results::WantedSpec> spec) { wanted_.push_back(std::move(spec)); }

  /// A point in the order of the decisions, to put something there afterwards.
  struct Mark {
    std::ptrdiff_t records;
    std::ptrdiff_t actions;
  };
  [[nodiscard]] Mark mark() const { return {std::ssize(records_), std::ssize(actions_)}; }
  void RecordAt(Mark mark, results::Record record) {
    records_.insert(records_.begin() + mark.records, std::move(record));
  }
  void ThenAt(Mark mark, Action action) {
    actions_.insert(actions_.begin() + mark.actions, std::move(action));
  }

  [[nodiscard]] bool empty() const { return records_.empty() && actions_.empty(); }

  /// Hands all of it to the journal, and is empty again. Call it in the order of the decisions.
  void AppendTo(results::Journal& journal) {
    journal.Append(
        std::exchange(records_, {}),
        [actions = std::exchange(actions_, {})] {
          FlushList to_flush;
          for (const Action& action : actions) action(to_flush);
          to_flush.Flush();
        },
        std::exchange(wanted_, {}));
  }

 private:
  std::vector<results::Record> records_;
  std::vector<Action> actions_;
  results::WantedSpecs wanted_;
};

}  // namespace twofold::frontend
