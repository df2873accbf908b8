#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace twofold {

/// A number that users are told: in how many cases something holds. Each is written in the test
/// that measures it, and nowhere else: tests/promises_page.py makes docs/promises.md of them, and
/// other pages refer to its ids. Such a test is a `twofold_test(... PROMISES ...)`.
struct Promise {
  std::string_view id;    ///< `history-step`: lower case, and what it is about first
  std::string_view says;  ///< what is counted, in Markdown: "a step of 10 % in 16 runs is found"
  double least = 0.0;     ///< at least this share of the cases,
  double most = 1.0;      ///< and at most this one
};

/// Fails the test if `held` of `tries` simulated cases are further from the promised share than
/// chance explains (1 in 10 000). Prints what was measured as a row of that page, also into the
/// file $TWOFOLD_PROMISES, if that is set.
void Measure(const Promise& promise, std::uint64_t held, std::uint64_t tries);

/// The same: calls `holds` so many times.
template <std::predicate Holds>
void Measure(const Promise& promise, std::uint64_t tries, Holds&& holds) {
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < tries; ++i) held += holds() ? 1U : 0U;
  Measure(promise, held, tries);
}

}  // namespace twofold
