#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lib/suite/suite.h"

namespace twofold::suite {

/// All suites, by name.
std::span<const Suite> Suites();

/// The suite of that name or kind; null: there is none.
const Suite* FindSuite(std::string_view name);

/// "fio, iperf, ...".
std::string SuiteNames();

}  // namespace twofold::suite
