#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api/fields.h"
#include "lib/common/result.h"
#include "lib/spec/kind.h"

/// From what an object of kube-perftest asks of pods to the pods. Pure.
namespace twofold::benchmarks {

/// What all jobs of an object ask of pods.
struct PodWishes {
  std::string kind;   ///< "Fio": what runs
  std::string suite;  ///< that runs it
  /// What jobs ask of workers; an image, a network and an MTU are among them.
  std::vector<spec::Requirement> labels{};
  bool uses_rdma = false;
  kube::Json resources{};        ///< as of a container; null: none
  kube::Json claim{};            ///< spec of a volume's claim; null or empty: none
  std::string pull_policy = {};  ///< empty: the object does not say
};

/// Of a template: the volume whose place a claim takes.
inline constexpr const char* kScratchVolume = "scratch";

/// Makes of `workers`, as spec.workers of a Benchmark with a template, what fulfils the wishes: its
/// first container is the worker. `pool` is the name of the WorkerPool that the pods are to have.
///
/// Errors   kInvalidArgument: what of the template, or of the wishes, does not go.
Status Fulfil(const PodWishes& wishes, const std::string& pool, kube::Json& workers);

}  // namespace twofold::benchmarks
