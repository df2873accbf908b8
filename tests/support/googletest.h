#pragma once

#include <gtest/gtest.h>

/// Inside `twofold`, `testing::` is our own namespace. GoogleTest's names are found in it as well,
/// so a test need not say which it means, whatever headers it is compiled with.
namespace twofold::testing {
using namespace ::testing;
}  // namespace twofold::testing
