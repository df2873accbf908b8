#pragma once

#include <span>

#include "kubernetes/api/call.h"
#include "kubernetes/operator/runs.h"
#include "kubernetes/operator/status.h"

/// The kinds of objects that are run, and what the status of each has of its own. Pure.
namespace twofold::benchmarks {

struct ObjectKind {
  kube::Resource resource;
  /// What the status has beside what all have; called before each write. null: nothing.
  void (*tell)(const kube::Json& object, StatusDraft& draft) = nullptr;
  /// What a run that is over has measured.
  void (*tell_results)(const kube::Json& object, const Results& results,
                       StatusDraft& draft) = nullptr;
  /// Whether it is looked after by somebody else, whose status it has. null: by nobody else.
  bool (*is_of_another)(const kube::Json& object) = nullptr;
};

const ObjectKind& BenchmarkKind();

/// Those of kube-perftest, its BenchmarkSet among them.
std::span<const ObjectKind> PerftestKinds();

}  // namespace twofold::benchmarks
