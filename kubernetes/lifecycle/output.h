#pragma once

#include <string>
#include <vector>

#include "kubernetes/lifecycle/plots.h"
#include "kubernetes/lifecycle/times/choice.h"
#include "kubernetes/lifecycle/times/report.h"
#include "kubernetes/lifecycle/times/threshold.h"
#include "lib/common/result.h"
#include "lib/show/table.h"

namespace CLI {
class App;
}

/// What all commands that end in a report have in common.
namespace twofold::lifecycle {

struct OutputOptions {
  bool json = false;
  bool csv = false;
  std::string times;
  std::vector<std::string> fail_if;
  PlotOptions plots;
  Choice choice;  ///< of a run it holds for the pictures alone, whose counts no threshold asks for
};
void Declare(CLI::App& app, OutputOptions& options);
void DeclareFailIf(CLI::App& app, OutputOptions& options);  ///< this alone

/// `otherwise`: that of --output.
show::Form FormOf(const OutputOptions& options, show::Form otherwise);

/// All that is asked for is read before anything is done: a wrong one is a usage error.
Result<std::vector<Threshold>> ThresholdsOf(const OutputOptions& options);

/// Prints what the thresholds say but for the first that fails, which is returned.
Status CheckAll(const std::vector<Threshold>& thresholds, const Report& report);

/// Errors   kInvalidArgument: names `option` and the path.
Status WriteText(const std::string& option, const std::string& path, const std::string& text);

}  // namespace twofold::lifecycle
