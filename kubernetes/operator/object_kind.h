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
  /// Its run is jobs of a frontend, which needs workers for them, counts them and keeps what they
  /// have measured. false: it is a measurement (measurement.h).
  bool by_frontend = true;
  /// Why it does not go on where whoever runs it cannot be asked: reason of the condition Running.
  const char* away = "FrontendAway";
};

/// The verdict of a measurement and its figures.
void TellVerdict(const kube::Json& object, const Results& results, StatusDraft& draft);

const ObjectKind& BenchmarkKind();

/// kube-perftest's own operator has begun it: that one writes a phase, ours a run's id beside.
bool IsLeftToKubePerftest(const kube::Json& object);

/// Those of kube-perftest, its BenchmarkSet among them.
std::span<const ObjectKind> PerftestKinds();

}  // namespace twofold::benchmarks
