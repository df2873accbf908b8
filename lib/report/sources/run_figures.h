#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/document/document.h"
#include "lib/report/sources/sources.h"
#include "lib/report/sources/titles.h"

namespace twofold::report {

/// A run under a name; empty: it is the only one.
struct NamedRun {
  NamedRun(std::string run_name, const RunResults* run_results)
      : name(std::move(run_name)), results(run_results), titles(*run_results) {}

  std::string name;
  const RunResults* results;
  Titles titles;  ///< of its numbers in figures
};

/// The name of a line that is of this run, and of what was varied there: "nightly size=4".
std::string LineName(const NamedRun& run, const std::string& varied);

/// A headline: its name with its dimensions, and its unit.
struct Headline {
  std::string title;
  std::string unit;

  auto operator<=>(const Headline&) const = default;
};
Headline HeadlineOf(const v1::MetricResult& metric);

/// What is varied, as people read it: "size=4 threads=2".
std::string VariedText(const std::string& varied);

/// A picture a headline over what is varied, several runs overlaid; of runs with jobs also how
/// their repetitions are spread. Of very many headlines the first are drawn.
std::vector<Picture> HeadlinePictures(const std::vector<NamedRun>& runs);

/// How long jobs that succeeded ran; nullopt: there are none.
std::optional<Picture> RunTimePicture(const RunResults& results);

/// Who ran what when; nullopt: there are no jobs that have ended. Of very many jobs some are drawn,
/// evenly.
std::optional<Picture> RunTimelinePicture(const RunResults& results);

}  // namespace twofold::report
