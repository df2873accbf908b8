#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "lib/common/result.h"
#include "lib/results/store_address.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::cli {

/// Where a command reads runs: a frontend, or a store itself.
///
/// Errors   of every call: those of the service or of the store.
class RunSource {
 public:
  virtual ~RunSource() = default;

  virtual Result<v1::ListRunsReply> List(const v1::ListRunsRequest& request) = 0;
  virtual Result<v1::Run> Get(const v1::GetRunRequest& request) = 0;

  using OnResults = std::function<void(const v1::RunResultsReply&)>;
  virtual Status Results(const v1::RunResultsRequest& request, const OnResults& on_results) = 0;

  /// What one job of the run, whichever, has measured and where, whole; nothing in it if the run
  /// has no such job yet.
  virtual Result<v1::BenchmarkResult> Sample(const std::string& run) = 0;

  using OnPiece = std::function<void(const v1::ArtifactPiece&)>;
  virtual Status Artifact(const v1::GetArtifactRequest& request, const OnPiece& on_piece) = 0;
};

/// The store, if one is named; else the frontend of `globals`, which must outlive the source.
Result<std::unique_ptr<RunSource>> OpenRuns(const Globals& globals,
                                            const results::StoreOptions& store = {});
Result<std::unique_ptr<RunSource>> OpenRuns(const results::StoreAddress& store);

/// The run that `id` names; "@last" is the newest one. What is not of that form is an id.
/// Errors   kNotFound: "@last", and there is none; those of the source.
Result<std::string> ResolveRun(RunSource& source, const std::string& id);

/// Declares --store and --store-file.
void DeclareStore(CLI::App& app, results::StoreOptions& store);

}  // namespace twofold::cli
