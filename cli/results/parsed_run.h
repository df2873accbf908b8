#pragma once

#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/suite/measurements.h"

namespace twofold::cli {

/// The saved output of one job, and what its suite makes of it.
struct Parsed {
  std::string source;  ///< file names
  Result<suite::Measurements> result;
};

/// Keeps what was parsed as a run of a store, made if it is not there: a job for each source, all
/// of them repetitions of one permutation.
/// Errors   kAlreadyExists: the store has a run with this id; kNotFound: a source cannot be read,
///          so nothing is kept; those of the store.
Status KeepAsRun(const std::string& store, const std::string& run, const std::string& suite,
                 const std::vector<Parsed>& all);

}  // namespace twofold::cli
