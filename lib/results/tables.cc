#include "lib/results/tables.h"

#include "twofold/v1/queue.pb.h"
#include "twofold/v1/results.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

const Tables& AllTables() {
  static const Tables tables = {
      .benchmark = {*v1::BenchmarkResult::descriptor(),
                    "suite tool failed_stage left_out timeline.prepared_ns timeline.started_ns"
                    " timeline.ended_ns timeline.collected_ns timeline.parsed_ns"},
      .measured = {*v1::Measurement::descriptor(), "value at?"},
      .metric = {*v1::Measurement::descriptor(), "name unit better headline dimensions"},
      .shape = {*v1::Series::descriptor(), "name dimensions columns"},
      .part_failure = {*v1::PartFailure::descriptor(), "stage reason"},
      .host = {*v1::RankRecord::descriptor(), "node pod address kernel cpu cpus image"},
      .stage = {*v1::StageRecord::descriptor(),
                "name argv tool_version started_ns wall_ns exit_code signal error"},
      .artifact = {*v1::Artifact::descriptor(), "name bytes left_out zstd"},
      .run = {*v1::Run::descriptor(), "name kind definition labels jobs created_unix_ns plan"},
      .permutation = {*v1::Permutation::descriptor(), "number varied"},
      .place = {*v1::RunPlace::descriptor(), "permutation number repetition warm_up name"},
  };
  return tables;
}

}  // namespace twofold::results
