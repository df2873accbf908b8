#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/results/job_reader.h"
#include "lib/results/job_writer.h"
#include "lib/results/statements.h"
#include "lib/results/store.h"

namespace twofold::results {

/// What stores in tables have in common: the calls of Store that write, each within a transaction
/// of the caller's, who then says how that ended.
///
/// Errors   throws what the engine throws, and Damaged.
class JobTables {
 public:
  /// See JobWriter.
  explicit JobTables(Statements& sql, std::uint64_t reserve = 0)
      : writer_(sql, reserve), reader_(sql) {}

  /// See Store::Commit.
  Status Write(std::span<const Record> records) {
    return writer_.Write(records, &ended_, &deleted_);
  }

  /// Finds names of metrics, series and hosts that Write would have to add. False: it knows all.
  bool FindNewNames(std::span<const Record> records) { return writer_.FindNewNames(records); }
  /// Adds those that FindNewNames has found last. Optional before Write.
  void AddNewNames() { writer_.AddNewNames(); }

  /// See Store::Load; `of` leaves out jobs of other partitions.
  std::map<std::string, std::uint64_t> Load(const Store::Visit& visit,
                                            std::optional<std::uint8_t> of = {});

  /// See Store::ReadSpecs. Needs no transaction.
  void ReadSpecs(const WantedSpecs& wanted) { reader_.ReadSpecs(wanted); }

  /// Others add and delete finished jobs, too: they are counted again for the next Forgettable.
  void CountAgain() { finished_.reset(); }

  /// Which jobs Store::Forget deletes. Needs no transaction.
  std::vector<JobId> Forgettable(const Retention& retention, std::size_t at_most);
  void Delete(std::span<const JobId> jobs);
  /// See Retention.
  void DeleteDrafts(const Retention& retention, std::size_t at_most);

  void Committed();
  void RolledBack();

  JobReader& reader() { return reader_; }

 private:
  JobWriter writer_;
  JobReader reader_;
  std::optional<std::uint64_t> finished_;  // how many jobs; nullopt: not counted yet
  std::uint64_t ended_ = 0;                // in this transaction
  std::uint64_t deleted_ = 0;
};

}  // namespace twofold::results
