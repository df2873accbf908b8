#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace twofold::suite::osu {

/// With how many MPI ranks a test runs. With others some tests say so, and some hang for ever.
enum class Ranks : std::uint8_t {
  kPair,      ///< exactly two
  kEven,      ///< two or more, and no odd number
  kTwoNodes,  ///< two or more, on two nodes at least
  kSome,      ///< two or more
  kGrid,      ///< three or more: a ring needs them, and with two the test only says so
  kAny,       ///< one or more
};

struct Test {
  std::string_view name;  ///< of the program: "osu_latency"
  std::string_view
      title;  ///< in the first line it prints, without version; empty: that of another test
  Ranks ranks;
  std::uint64_t largest;  ///< last message size by default, bytes; 0: it has no sizes
};

/// All programs of OMB 7.4 for MPI and C.
std::span<const Test> Tests();

/// The test of that name, with or without "osu_"; null: there is none.
const Test* FindTest(std::string_view name);

/// The test that prints this title; null: not known. Of those that share one it is the first.
const Test* FindTitle(std::string_view title);

}  // namespace twofold::suite::osu
