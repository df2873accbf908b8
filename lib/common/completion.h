#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace twofold {

/// The shells that `PROGRAM --completion SHELL` knows.
std::vector<std::string> CompletionShells();

/// A script that makes `shell` complete the commands of a program, its options, and those values
/// of options that are a choice of words; else it completes names of files.
/// REQUIRES: `shell` is one of CompletionShells().
std::string Completion(const CLI::App& program, std::string_view shell);

}  // namespace twofold
