#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "kubernetes/commands/cluster_options.h"
#include "kubernetes/lifecycle/journal/journal.h"
#include "kubernetes/lifecycle/run_plan.h"
#include "kubernetes/lifecycle/times/choice.h"
#include "lib/common/result.h"
#include "lib/metrics/page.h"
#include "suites/lifecycle/spec.pb.h"

namespace CLI {
class App;
}

namespace twofold::lifecycle {

/// What the commands of `twofold lifecycle` are told, as it was typed; each has some of it.
struct Options {
  v1::suites::LifecycleSpec spec;  ///< what jobs of the suite can be told, too
  cli::ClusterOptions cluster;
  std::vector<std::string> runs;  ///< --name of one to be made, --run of those that are there
  std::string path;               ///< of the journal, or the folder of samples, that is read

  // How it is sent
  std::string template_file;
  std::string etcd_quota = "2Gi";
  bool dry_run = false;

  // What else is written down
  JournalSettings journal;
  bool events = false;
  std::vector<std::string> audit;
  std::string store;    ///< file that is to have the run; empty: none
  std::string verdict;  ///< file of --verdict; empty: none
  metrics::PageOptions page;

  // The report
  bool json = false;
  bool csv = false;
  std::string times;
  std::string plots;         ///< folder; empty: no pictures
  bool svg_only = false;     ///< no PNG beside each SVG
  bool logarithmic = false;  ///< the axes of times
  bool lenient = false;      ///< limits go by the value alone
  Choice choice;  ///< of a run it holds for the pictures alone, whose counts no threshold asks for
  std::string compat;

  // What becomes of the objects
  bool keep = false;
  bool clean = false;
  double patience_seconds = 120;
};

// Each declares some of them, in the order in which help texts have them.
void DeclareSending(CLI::App& app, Options& options);
void DeclareWatching(CLI::App& app, Options& options);  ///< until when, journal and report
void DeclareReport(CLI::App& app, Options& options);
void DeclareFailIf(CLI::App& app, Options& options);  ///< this, and what is drawn
void DeclareCompat(CLI::App& app, Options& options);
void DeclareKeeping(CLI::App& app, Options& options);  ///< what else a run writes down, and leaves
/// `whose`: "Of the run".
void DeclareNamespace(CLI::App& app, Options& options, const std::string& whose);

/// The namespace that they mean, if the cluster's configuration has `otherwise`.
const std::string& SpaceOf(const Options& options, const std::string& otherwise);

/// What they mean for a run that sends. Reads the files that they name. `space` is for workloads of
/// which nothing else is said; `now` is for the name of a run that has none.
/// Errors   kInvalidArgument: which option, which value, what is allowed.
Result<RunPlan> PlanOf(const Options& options, const std::string& space,
                       std::chrono::system_clock::time_point now);

}  // namespace twofold::lifecycle
