#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
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
  kGang,       ///< a gang that runs; its members are jobs of their own
  kRunning,    ///< with a process
};

/// All that the queue knows of one job. A million of them wait at times: each byte counts.
struct Job {
  std::shared_ptr<const JobOptions> options;
  char* spec_bytes = nullptr;         ///< in SpecBytes
  Submitter* submitter = nullptr;     ///< nullptr: detached
  std::uint64_t tag = 0;              ///< of a gang's member: its rank
  std::uint64_t sequence = 0;         ///< order of arrival
  Instant accepted;                   ///< or, with a delay, when that is over
  Instant handed_out;                 ///< of the attempt that runs
  Links place;                        ///< among what its process runs, or of the free slots
  Links siblings;                     ///< among the jobs of its submitter
  std::uint32_t generation : 24 = 0;  ///< of the slot: tells this job from earlier ones
  JobState state = JobState::kFree;
  std::uint32_t spec_size = 0;
  Attempt attempts = 0;             ///< started; the newest is the only one that counts
  std::uint32_t lost_attempts = 0;  ///< those that vanished with their worker
  ProcessId process{0};             ///< while running
  Slot gang = kNoSlot;              ///< whose member it is

  [[nodiscard]] std::string_view spec() const { return {spec_bytes, spec_size}; }
};
static_assert(sizeof(Job) <= 104, "the promise is 150 bytes a waiting job beside its spec");

/// Copies of specs, without malloc's time and bytes for each. Small ones are cut from slabs; what
/// is freed is for the next one of its size, so memory stays at what the most specs of each size at
/// one time took.
///
/// Errors   None checked: Free what Add gave, with its size.
/// Cost     O(1) and up to 3 bytes a spec; at least 8 bytes.
class SpecBytes {
 public:
  /// nullptr if it is empty.
  char* Add(std::string_view spec);
  void Free(char* bytes, std::size_t size);

 private:
  static constexpr std::size_t kStep = 4;
  static constexpr std::size_t kLargest = 512;  // longer ones are left to malloc
  static constexpr std::size_t kSlab = 64 << 10;

  static std::size_t Rounded(std::size_t size) {
    return std::max((size + kStep - 1) / kStep * kStep, sizeof(char*));
  }
  char* Take(std::size_t size);

  std::array<char*, kLargest / kStep + 1> freed_{};  // by size; each holds the next one's address
  std::vector<std::unique_ptr<char[]>> slabs_;
  std::size_t left_ = 0;  // at the end of the last slab
};

/// Holds the jobs in fixed-size pages, so growth never moves a job nor doubles memory. Slots are
/// used again, last freed first; memory stays at what the most jobs at one time took.
///
/// Cost     O(1) a call; durable jobs take a hash look-up more and some 50 bytes.
class JobTable {
 public:
  JobTable(std::uint32_t first_generation, std::uint8_t queue_number);
  ~JobTable();
  JobTable(const JobTable&) = delete;
  JobTable& operator=(const JobTable&) = delete;

  Job& operator[](Slot slot) { return pages_[slot / kPage][slot % kPage]; }
  const Job& operator[](Slot slot) const { return pages_[slot / kPage][slot % kPage]; }

  /// A new job, waiting, with a copy of `spec`. `sequence` names it if it is durable.
  Slot Add(std::shared_ptr<const JobOptions> options, std::string_view spec,
           std::uint64_t sequence = 0);
  void Free(Slot slot);

  /// The slot of a job that lives; kNoSlot if there is none such.
  [[nodiscard]] Slot Find(JobId id) const;
  [[nodiscard]] JobId IdOf(Slot slot) const {
    const Job& job = (*this)[slot];
    if (job.options->durable) return DurableId(job.sequence);
    return JobId{id_base_ | std::uint64_t{job.generation} << 32 | slot};
  }
  [[nodiscard]] JobId DurableId(std::uint64_t sequence) const {
    return JobId{id_base_ | kDurableBit | sequence};
  }

  /// One past the highest slot ever used.
  [[nodiscard]] Slot end() const { return end_; }

 private:
  static constexpr Slot kPage = 4096;

  Slot TakeSlot();

  const std::uint64_t id_base_;
  const std::uint32_t first_generation_;
  SpecBytes specs_;
  std::vector<std::unique_ptr<Job[]>> pages_;
  Slot end_ = 0;
  Slot free_ = kNoSlot;  // the last freed slot; the others follow by place.next
  std::unordered_map<JobId, Slot> durable_;
};

using JobsInPlace = IntrusiveList<JobTable, &Job::place>;

/// Whose jobs they are: a client's stream.
struct Submitter {
  SubmitterId id{0};
  IntrusiveList<JobTable, &Job::siblings> jobs;
};

}  // namespace twofold::queue
