#pragma once

#include <absl/base/attributes.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/queue/intrusive_list.h"
#include "lib/queue/types.h"

namespace twofold::queue {

struct Submitter;

enum class JobState : std::uint8_t {
  kFree,       ///< no job: the slot is for use
  kWaiting,    ///< in the line
  kDelayed,    ///< its time has not come
  kParked,     ///< as many jobs with its limit key as allowed run, or are in the line
  kGathering,  ///< a gang that lacks workers
  kPlaced,     ///< no free slot suits its placement
  kWithheld,   ///< its turn has come, but durable jobs are held
  kGang,       ///< a gang that runs; its members are jobs of their own
  kRunning,    ///< with a process
};

/// Copies of specs, without malloc's time and bytes for each. Small ones are cut from slabs; what
/// is freed is for the next one of its size, so memory stays at what the most specs of each size at
/// one time took.
///
/// Errors   None checked: View and Free what Add gave.
/// Cost     O(1), and 4 to 7 bytes a spec that is not empty.
class SpecBytes {
 public:
  /// nullptr if it is empty.
  char* Add(std::string_view spec);
  /// In place of a spec of so many bytes that is kept elsewhere: its View is empty.
  char* AddElsewhere(std::uint32_t size);
  void Free(char* stored);
  static std::string_view View(const char* stored);
  /// 0: it is here.
  static std::uint32_t Elsewhere(const char* stored);

 private:
  static constexpr std::size_t kStep = 4;
  static constexpr std::size_t kLargest = 512;  // longer ones are left to malloc
  static constexpr std::size_t kSlab = 64 << 10;
  static constexpr std::uint32_t kIsElsewhere = 1U << 31;  // beside the size

  /// Of a spec and its size before it; at least 8, as what is free holds an address.
  static std::size_t StoredSize(std::size_t spec) {
    return (sizeof(std::uint32_t) + spec + kStep - 1) / kStep * kStep;
  }
  char* Take(std::size_t size);

  std::array<char*, kLargest / kStep + 1> freed_{};  // by size; each holds the next one's address
  std::vector<std::unique_ptr<char[]>> slabs_;
  std::size_t left_ = 0;  // at the end of the last slab
};

/// What the queue knows of one job. A million of them wait at times: each byte counts.
struct Job {
  std::shared_ptr<const JobOptions> options;
  char* stored_spec = nullptr;        ///< in SpecBytes
  Submitter* submitter = nullptr;     ///< nullptr: detached
  std::uint64_t tag = 0;              ///< of a gang's member: its rank
  std::uint64_t sequence = 0;         ///< order of arrival
  Instant accepted;                   ///< or, with a delay, when that is over
  Links siblings;                     ///< among the jobs of its submitter, or of the free slots
  std::uint32_t generation : 23 = 0;  ///< of the slot: tells this job from earlier ones
  std::uint32_t keeps_id : 1 = 0;     ///< that of another table, see JobTable::KeepId
  JobState state = JobState::kFree;
  Slot tries = 0;  ///< see JobTable::tries

  /// Empty if it is elsewhere.
  [[nodiscard]] std::string_view spec() const { return SpecBytes::View(stored_spec); }
  [[nodiscard]] std::uint32_t spec_elsewhere() const { return SpecBytes::Elsewhere(stored_spec); }
  /// Wherever it is.
  [[nodiscard]] std::size_t spec_bytes() const { return spec().size() + spec_elsewhere(); }
};
static_assert(sizeof(Job) <= 72, "the promise is 80 bytes a waiting job beside its spec");

/// What became of a job that was handed out, since it was so for the first time.
struct Tries {
  Attempt attempts = 0;             ///< started; the newest is the only one that counts
  std::uint32_t lost_attempts = 0;  ///< those that vanished with their worker
  Instant handed_out{};             ///< the newest
  ProcessId process{0};             ///< who has it
  Slot gang = kNoSlot;              ///< whose member it is
  Slot job = kNoSlot;               ///< the one that this is about
  Links place = {};                 ///< among those of its process, or of the free slots
};

/// Entries in pages of a fixed size, so growth never moves one nor doubles memory. Slots are used
/// again, last freed first; memory stays at what the most entries at one time took.
template <typename T, Links T::*kLinks>
class Pool {
 public:
  T& operator[](Slot slot) { return pages_[slot / kPage][slot % kPage]; }
  const T& operator[](Slot slot) const { return pages_[slot / kPage][slot % kPage]; }

  /// An entry that is new, or as it was when it was freed.
  Slot Take() {
    if (free_ == kNoSlot) return Extend();
    return std::exchange(free_, ((*this)[free_].*kLinks).next);
  }
  void Free(Slot slot) { ((*this)[slot].*kLinks).next = std::exchange(free_, slot); }

  /// One past the highest slot ever used.
  [[nodiscard]] Slot end() const { return end_; }

 private:
  static constexpr Slot kPage = 4096;

  // Apart, because it is rare and its code would stand wherever an entry is taken.
  ABSL_ATTRIBUTE_NOINLINE Slot Extend() {
    if (end_ % kPage == 0) pages_.push_back(std::make_unique<T[]>(kPage));
    return end_++;
  }

  std::vector<std::unique_ptr<T[]>> pages_;
  Slot end_ = 0;
  Slot free_ = kNoSlot;  // the last freed one; the others follow
};

using TriesTable = Pool<Tries, &Tries::place>;

/// Holds the jobs. What only those need that were handed out is in a table of its own.
///
/// Cost     O(1) a call; durable jobs take a hash look-up more and some 50 bytes.
class JobTable {
 public:
  JobTable(std::uint32_t first_generation, std::uint8_t queue_number);
  ~JobTable();
  JobTable(const JobTable&) = delete;
  JobTable& operator=(const JobTable&) = delete;

  Job& operator[](Slot slot) { return jobs_[slot]; }
  const Job& operator[](Slot slot) const { return jobs_[slot]; }

  /// Of a job that was never handed out they are those of all such jobs: there were none.
  [[nodiscard]] const Tries& tries(Slot slot) const { return tries_[jobs_[slot].tries]; }
  /// Its own, from now on.
  Tries& OwnTries(Slot slot) {
    Job& job = jobs_[slot];
    if (job.tries == 0) {
      job.tries = tries_.Take();
      tries_[job.tries] = {.job = slot};
    }
    return tries_[job.tries];
  }

  /// A new job, waiting, with a copy of `spec`. `sequence` names it if it is durable.
  Slot Add(std::shared_ptr<const JobOptions> options, std::string_view spec,
           std::uint64_t sequence = 0, std::uint32_t spec_elsewhere = 0);
  /// From now on the volatile job has the id that it had in another table. No other job gets it
  /// meanwhile. REQUIRES: no job here has it.
  void KeepId(Slot slot, JobId id);
  void Free(Slot slot);

  /// The slot of a job that lives; kNoSlot if there is none such.
  [[nodiscard]] Slot Find(JobId id) const;
  [[nodiscard]] JobId IdOf(Slot slot) const {
    const Job& job = (*this)[slot];
    if (job.options->durable) return DurableId(job.sequence);
    return job.keeps_id ? kept_ids_.at(slot) : OwnId(slot);
  }
  [[nodiscard]] JobId DurableId(std::uint64_t sequence) const {
    return JobId{id_base_ | kDurableBit | sequence};
  }
  /// The newest attempt.
  [[nodiscard]] Held AttemptOf(Slot slot) const { return {IdOf(slot), tries(slot).attempts}; }

  /// One past the highest slot ever used.
  [[nodiscard]] Slot end() const { return jobs_.end(); }

  TriesTable& all_tries() { return tries_; }

 private:
  static constexpr std::uint32_t kGenerations = 1U << 23;

  /// Generation 0 is left out, so that no id is 0.
  static std::uint32_t Valid(std::uint32_t generation) {
    return std::max(generation % kGenerations, 1U);
  }
  static void NextGeneration(Job& job) {
    job.generation = Valid(job.generation + 1) & (kGenerations - 1);
  }
  [[nodiscard]] JobId OwnId(Slot slot) const {
    return JobId{id_base_ | std::uint64_t{jobs_[slot].generation} << 32 | slot};
  }

  const std::uint64_t id_base_;
  const std::uint32_t first_generation_;
  SpecBytes specs_;
  Pool<Job, &Job::siblings> jobs_;
  TriesTable tries_;
  std::unordered_map<JobId, Slot> durable_;
  std::unordered_map<Slot, JobId> kept_ids_;     // of volatile jobs that came from another table
  std::unordered_map<JobId, Slot> by_kept_ids_;  // the same
};

// Inline, as every job comes this way.

inline Slot JobTable::Add(std::shared_ptr<const JobOptions> options, std::string_view spec,
                          std::uint64_t sequence, std::uint32_t spec_elsewhere) {
  const Slot slot = jobs_.Take();
  if (options->durable) durable_.emplace(DurableId(sequence), slot);
  Job& job = jobs_[slot];
  if (job.generation == 0) job.generation = first_generation_ & (kGenerations - 1);  // a new slot
  while (!by_kept_ids_.empty() && by_kept_ids_.contains(OwnId(slot))) NextGeneration(job);
  job.options = std::move(options);
  job.sequence = sequence;
  job.stored_spec = spec_elsewhere > 0 ? specs_.AddElsewhere(spec_elsewhere) : specs_.Add(spec);
  job.state = JobState::kWaiting;
  return slot;
}

inline void JobTable::Free(Slot slot) {
  Job& job = jobs_[slot];
  if (job.options->durable) durable_.erase(DurableId(job.sequence));
  if (job.keeps_id) by_kept_ids_.erase(kept_ids_.extract(slot).mapped());
  job.keeps_id = 0;
  job.options.reset();
  specs_.Free(std::exchange(job.stored_spec, nullptr));
  if (const Slot tries = std::exchange(job.tries, 0); tries != 0) tries_.Free(tries);
  job.submitter = nullptr;
  NextGeneration(job);
  job.state = JobState::kFree;
  jobs_.Free(slot);
}

/// Whose jobs they are: a client's stream.
struct Submitter {
  SubmitterId id{0};
  IntrusiveList<JobTable, &Job::siblings> jobs;
  Standing standing{};
};

inline SubmitterId SubmitterOf(const Job& job) {
  return job.submitter == nullptr ? kDetached : job.submitter->id;
}

}  // namespace twofold::queue
