#pragma once

#include <cstddef>
#include <string>

namespace twofold::backend {

/// Kills all processes that have been started with the variable `marker` (NAME=VALUE) in their
/// environment, wherever they are by now: a daemon that has left the process group of its stage and
/// lost its parents, too. Returns how many there were; 0: none is left.
///
/// Cost     Reads the environment of every process of this user.
std::size_t KillMarked(const std::string& marker);

}  // namespace twofold::backend
