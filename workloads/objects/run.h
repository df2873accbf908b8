#pragma once

#include <string>
#include <vector>

#include "lib/common/address.h"
#include "workloads/objects/store.h"

namespace twofold::objects {

/// What a command line says beside the spec.
struct Options {
  std::string barrier;           ///< HOST:PORT at which loader 0 waits for the others; empty: none
  double barrier_seconds = 120;  ///< how long loaders wait for each other
};

/// A run of one loader, and what it came to.
///
/// Threads  Blocks until the run is over; SIGTERM and SIGINT end it, with what there is so far.
/// Errors   What keeps a run from beginning: see OpenStore, EnsureBucket, ListNames, Gathering.
Result<v1::suites::ObjectStorageReport> RunLoad(const Spec& spec, const Options& options);

}  // namespace twofold::objects
