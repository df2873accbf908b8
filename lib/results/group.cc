#include "lib/results/group.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>

namespace twofold::results {
namespace {

class Folder {
 public:
  explicit Folder(std::size_t records) {
    change_.jobs.reserve(records);
    index_.reserve(records);
  }

  void operator()(const JobAccepted& record) {
    JobChange& change = Of(record.id);
    if (change.accepted != nullptr && *change.accepted != record) {
      change_.accepted_twice = record.id;
    }
    change.accepted = &record;
  }
  void operator()(const AttemptStarted& record) { Reach(record.job, &record); }
  void operator()(const AttemptGivenUp& record) { Reach(record.job, &record); }
  void operator()(const JobEnded& record) { Reach(record.job, &record); }
  void operator()(const JobRequeued& record) { Of(record.from).requeued_as = record.to; }
  void operator()(const SequenceUsed& record) {
    std::uint64_t& highest = change_.sequences[record.queue];
    highest = std::max(highest, record.sequence);
  }

  void operator()(const RunCreated& record) { change_.created.push_back(&record); }
  void operator()(const RunCancelled& record) { change_.cancelled.push_back(&record); }

  GroupChange Take() { return std::move(change_); }

 private:
  JobChange& Of(JobId job) {
    const auto [entry, is_new] = index_.try_emplace(job, change_.jobs.size());
    if (is_new) change_.jobs.push_back({.job = job});
    return change_.jobs[entry->second];
  }

  // A job ends once: nothing comes after its end.
  void Reach(JobId job, JobChange::State state) {
    JobChange& change = Of(job);
    if (!std::holds_alternative<const JobEnded*>(change.state)) change.state = state;
  }

  GroupChange change_;
  absl::flat_hash_map<JobId, std::size_t> index_;
};

}  // namespace

GroupChange Fold(std::span<const Record> records) {
  Folder folder(records.size());
  for (const Record& record : records) std::visit(folder, record);
  return folder.Take();
}

}  // namespace twofold::results
