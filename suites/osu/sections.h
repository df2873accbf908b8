#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"

namespace twofold::suite::osu {

/// What one test has printed, with what is known about how it was run.
struct Section {
  std::string test;  ///< "osu_latency", or the title if no test is known by it; empty: not known
  std::string accelerator = {};  ///< whose memory it uses: "CUDA", "ROCM"; empty: the host's
  std::string command;           ///< with arguments, blanks between; empty: not known
  std::vector<std::string_view> lines;
  bool whole = true;  ///< its last line has an end
  std::optional<double> wall_s;
  const StageOutput* stage = nullptr;  ///< which it is a part of
  bool alone = true;                   ///< all of the stage, so that its exit code is about it
};

/// The tests in the output of a stage: one, or several in the log of a metrics-operator pod, or of
/// a script that ran one after the other.
std::vector<Section> ReadSections(const StageOutput& stage);

/// Whether this is the log of a metrics-operator pod that ends before its last line.
bool IsCutOff(std::string_view log);

/// What follows "# OSU " in the title line of a test, without the version at its end; nullopt: no
/// such line.
std::optional<std::string_view> TitleOf(std::string_view line);

}  // namespace twofold::suite::osu
