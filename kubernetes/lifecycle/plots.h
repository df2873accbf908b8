#pragma once

#include <string>

#include "kubernetes/lifecycle/times/drawn.h"
#include "lib/common/result.h"

namespace CLI {
class App;
}

namespace twofold::lifecycle {

struct PlotOptions {
  std::string dir;           ///< empty: no pictures
  bool svg_only = false;     ///< no PNG beside each SVG
  bool logarithmic = false;  ///< the axes of times
};
void Declare(CLI::App& app, PlotOptions& options);

/// Makes the folder, so that a long run does not end with the news that it cannot be made.
/// Errors   kInvalidArgument: --plots, and why.
Status MakeFolder(const PlotOptions& options);

/// general.svg, detailed.svg, and a PNG of each.
///
/// Cost     Some seconds for 200 000 workloads.
/// Errors   kInvalidArgument: a file cannot be written. kInternal: there is no PNG, as
/// report::ToPng says, but
///          both SVGs.
Status WritePlots(const PlotOptions& options, const Drawn& drawn);

}  // namespace twofold::lifecycle
