#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "lib/spec/field.h"
#include "lib/spec/kind.h"
#include "lib/yaml/node.h"

namespace twofold::spec {

/// What `apiVersion` may be, and the `kind` of a set.
inline constexpr std::array<std::string_view, 2> kApiVersions = {"twofold/v1",
                                                                 "perftest.stackhpc.com/v1alpha1"};
inline constexpr std::string_view kBenchmarkSet = "BenchmarkSet";

/// Beside those, what objects of a cluster have that the operator runs, and their only kind.
inline constexpr std::string_view kObjectVersion = "twofold.dev/v1alpha1";
inline constexpr std::string_view kBenchmark = "Benchmark";

/// Of what `metadata.name` is made, and how long it may be: as an object of Kubernetes.
inline constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
inline constexpr std::size_t kLongestName = 253;

/// What `metadata.runid` says, beside null and nothing, where no run is wished.
inline constexpr std::string_view kNoRunId = "nil";

/// The fields of the spec of a BenchmarkSet: those of kube-perftest, and ours.
std::span<const Field> SetFields();

/// What the spec of a Benchmark has beside them: how the operator deals with the object.
std::span<const Field> HandlingFields();
/// The one of them that is about the run, too.
inline constexpr const char* kQueueField = "queue";
/// Where the run goes; as the queue, it stays as it is.
inline constexpr const char* kFrontendField = "frontendRef";
/// Pods for the run alone; stays as it is.
inline constexpr const char* kWorkersField = "workers";

/// The spec of a Benchmark: SetFields and HandlingFields.
std::span<const Field> BenchmarkFields();

/// The fields around every spec: apiVersion, kind, metadata, spec, status.
std::span<const Field> ObjectFields();

/// What CheckFields takes as a JSON schema (draft 7): a map with these `fields`, and no others.
Json SchemaOf(std::span<const Field> fields);

/// All that ReadSweep takes with these kinds as a JSON schema (draft 7), for editors. It refuses
/// what a field shows alone; what has to hold together only Expand knows.
Json JsonSchema(std::span<const Kind> kinds);

}  // namespace twofold::spec
