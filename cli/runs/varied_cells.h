#pragma once

#include <string>
#include <vector>

#include "lib/spec/expansion.h"

namespace twofold::cli {

/// The fields that vary, in the order in which permutations have them.
std::vector<std::string> VariedPaths(const spec::Expansion& expansion);

/// Bare words as they are, all else as JSON, so that no text can pass for something else.
std::string CellText(const spec::Json& value);

/// The value of a permutation in a field; "-" if it does not set it.
std::string ValueAt(const spec::Permutation& permutation, const std::string& path);

/// All of its values: "rw=read bs=4k".
std::string ValuesText(const spec::Permutation& permutation);

}  // namespace twofold::cli
