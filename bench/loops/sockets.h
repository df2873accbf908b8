#pragma once

#include <utility>

#include "lib/common/descriptors.h"

namespace twofold::h2 {

/// Ends the program with errno if something did not work.
void Need(bool works, const char* what);

// Sockets of loopback that do not block, with room for all that is ever outstanding here, so that
// nobody waits for one that is full.

std::pair<Descriptor, Descriptor> ConnectedPair();

/// What is written to it can be read from it: half the descriptors of a pair.
Descriptor ConnectedToItself();

}  // namespace twofold::h2
