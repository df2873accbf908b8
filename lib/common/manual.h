#pragma once

#include <CLI/App.hpp>
#include <string>

namespace twofold {

/// The manual page of a program in man(7) macros, as `PROGRAM --manual` prints it: what --help says
/// of it and of each of its commands. Options that most of the commands have are described once.
/// It has no date, so it is the same for the same build.
std::string ManualPage(const CLI::App& program);

}  // namespace twofold
