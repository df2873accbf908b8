#pragma once

#include "lib/results/benchmark.h"
#include "twofold/v1/results.pb.h"

/// Results of benchmarks as messages: what workers write, the store keeps, and readers get.
namespace twofold::runs {

/// Not checked: see results::Check.
results::Benchmark FromProto(const v1::BenchmarkResult& result);

/// The message that FromProto has read, as it was.
v1::BenchmarkResult ToProto(const results::Benchmark& benchmark);

v1::Measurement ToProto(const results::Measurement& measurement);
results::Measurement FromProto(const v1::Measurement& measurement);

/// Adds dimensions to those of a message.
void Fill(google::protobuf::RepeatedPtrField<v1::Dimension>& messages,
          const results::Dimensions& dimensions);

/// Without its bytes.
v1::Artifact DescriptionOf(const results::Artifact& artifact);

v1::Better ToProto(results::Better better);

}  // namespace twofold::runs
