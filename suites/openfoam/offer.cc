#include "lib/suite/text.h"
#include "suites/openfoam/openfoam.h"

namespace twofold::suite::openfoam {

// "Using: OpenFOAM-v2212 (2212) - visit www.openfoam.com" of openfoam.com, "Using: OpenFOAM-
// (1912)" of Debian, "Using: OpenFOAM-10 (see https://openfoam.org)" of openfoam.org.
Result<Labels> Offer(const StageOutput& probe) {
  constexpr std::string_view kSign = "OpenFOAM-";
  for (const std::string_view line : Lines(probe.out)) {
    const auto words = Words(line);
    if (words.size() < 2 || words[0] != "Using:" || !words[1].starts_with(kSign)) continue;
    std::string_view version = words[1].substr(kSign.size());
    if (version.empty() && words.size() > 2 && words[2].starts_with('(')) {
      version = words[2].substr(1, words[2].find(')') - 1);
    }
    return Labels{{"openfoam.version", std::string(version)}};
  }
  const std::string end = BadEnd(probe);
  return ToolFailed("probe", "no OpenFOAM here: icoFoam -help " +
                                 (end.empty() ? "does not say its version" : "ended with " + end));
}

}  // namespace twofold::suite::openfoam
