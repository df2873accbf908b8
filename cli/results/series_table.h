#pragma once

#include "lib/show/table.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::cli {

/// What jobs have measured as series: a line for each permutation, column and row. As CSV printed
/// as it comes, else at the end.
class SeriesTable {
 public:
  SeriesTable(const v1::Run& run, show::Form form);

  void Add(const v1::PermutationResult& result);

  /// `all`: that was all; else it was broken off.
  void Finish(bool all) const;

 private:
  const std::string run_;
  const show::Form form_;
  show::Json rows_ = show::Json::array();
  std::uint64_t left_out_ = 0;
};

}  // namespace twofold::cli
