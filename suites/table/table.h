#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"

namespace twofold::suite {

/// All suites, by name.
std::span<const Suite> Suites();

/// The suite of that name or kind; null: there is none.
const Suite* FindSuite(std::string_view name);

/// Of names with commas between: "osu,mpi-pingpong". Empty: there is none for one of them.
std::vector<const Suite*> FindSuites(std::string_view names);

/// "fio, iperf, ...".
std::string SuiteNames();

}  // namespace twofold::suite
