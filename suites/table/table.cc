#include "suites/table/table.h"

#include <absl/strings/str_split.h>

#include <algorithm>
#include <string>

#include "lib/suite/text.h"
#include "suites/fio/fio.h"
#include "suites/iperf/iperf.h"
#include "suites/media/media.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"
#include "suites/osu/osu.h"

namespace twofold::suite {
namespace {

// What output claims may be absurd, such as frames in no time at all.
template <Result<Measurements> (*kParse)(const Outputs&)>
Result<Measurements> Sound(const Outputs& outputs) {
  Result<Measurements> result = kParse(outputs);
  if (result.ok() && !IsSound(*result)) return Unreadable("parse", "a number that is not finite");
  return result;
}

constexpr Suite kSuites[] = {
    {"fio", "Fio", &fio::Check, &fio::Plan, &Sound<&fio::Parse>},
    {"iperf", "IPerf", &iperf::Check, &iperf::Plan, &Sound<&iperf::Parse>},
    {"media", "Media", &media::Check, &media::Plan, &Sound<&media::Parse>},
    {"mpi-pingpong", "MPIPingPong", &mpi_pingpong::Check, &mpi_pingpong::Plan,
     &Sound<&mpi_pingpong::Parse>},
    {"osu", "OSU", &osu::Check, &osu::Plan, &Sound<&osu::Parse>},
};

}  // namespace

std::span<const Suite> Suites() { return kSuites; }

const Suite* FindSuite(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSuites), std::end(kSuites), [&](const Suite& row) {
    return row.name == name || row.kind == name;
  });
  return found == std::end(kSuites) ? nullptr : found;
}

std::vector<const Suite*> FindSuites(std::string_view names) {
  std::vector<const Suite*> found;
  const std::vector<std::string> each = absl::StrSplit(std::string(names), ',');
  for (const std::string& name : each) {
    found.push_back(FindSuite(name));
    if (found.back() == nullptr) return {};
  }
  return found;
}

std::string SuiteNames() {
  std::string names;
  for (const Suite& row : kSuites) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace twofold::suite
