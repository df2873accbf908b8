#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/times/drawn.h"
#include "kubernetes/lifecycle/times/report.h"
#include "kubernetes/lifecycle/times/threshold.h"
#include "lib/common/result.h"
#include "lib/show/table.h"

namespace twofold::lifecycle {

/// Prints reports, writes the files that belong to them and checks --fail-if, as the options say.
class Reporting {
 public:
  /// All that is asked for is read before anything is done: a wrong one is a usage error. `options`
  /// must outlive it.
  static Result<Reporting> Read(const Options& options, const cli::Globals& globals);

  [[nodiscard]] show::Form form() const;

  /// Makes the folder of pictures, so that a long run does not end with the news that it cannot be
  /// made. Errors   kInvalidArgument: --plots, and why.
  [[nodiscard]] Status MakeFolder() const;

  /// Prints what the thresholds say but for the first that fails, which is returned.
  [[nodiscard]] Status CheckAll(const Report& report) const;

  /// times.csv. Errors   kInvalidArgument: it cannot be written.
  [[nodiscard]] Status WriteTimes(const std::string& csv) const;

  /// general.svg, detailed.svg, and a PNG of each.
  /// Cost     Some seconds for 200 000 workloads.
  /// Errors   kInvalidArgument: a file cannot be written. kInternal: there is no PNG, as
  ///          report::ToPng says, but both SVGs.
  [[nodiscard]] Status WritePlots(const Drawn& drawn) const;

  /// Prints the report, writes the files, checks that there is data, and the thresholds. What the
  /// first of these that failed says, `ended` among them; the others are carried out all the same.
  [[nodiscard]] Status Conclude(const Status& ended, const Outcome& outcome) const;

 private:
  Reporting(const Options& options, show::Form form, std::vector<Threshold> thresholds)
      : options_(options), form_(form), thresholds_(std::move(thresholds)) {}

  [[nodiscard]] Status WritePicture(const std::string& name, const std::string& svg) const;
  [[nodiscard]] Status WriteCompat(const Outcome& outcome) const;
  [[nodiscard]] Status DrawPlots(const Outcome& outcome) const;

  const Options& options_;
  show::Form form_;  // that of --output
  std::vector<Threshold> thresholds_;
};

}  // namespace twofold::lifecycle
