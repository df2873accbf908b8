#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/kind.h"
#include "lib/suite/suite.h"

/// What suites there are: the rows of table.cc, and what others make of them. Nothing else knows a
/// suite by name.
///
/// Threads  Any; nothing changes.
namespace twofold::suite {

/// All suites, as `twofold kinds` lists them.
std::span<const Suite> Suites();

/// The kinds of a benchmark file: one for each suite, in that order.
std::span<const spec::Kind> Kinds();

/// The suite of that name or kind; null: there is none.
const Suite* FindSuite(std::string_view name);

/// Of names with commas between: "osu,mpi-pingpong". Empty: there is none for one of them.
std::vector<const Suite*> FindSuites(std::string_view names);

/// "fio, iperf, ...".
std::string SuiteNames();

/// The argument that makes the program at `path` say its version and do nothing else; null: no
/// suite knows one.
const char* VersionArgument(std::string_view path);

/// That a program is missed, and who has it: "fio is not installed, neither on PATH nor in a
/// --suite-path; it is in Debian's package fio".
std::string NotInstalled(std::string_view program);

/// Whether a job failed because of that: all others that go to such a worker do so, too.
bool TellsNotInstalled(std::string_view reason);

}  // namespace twofold::suite
