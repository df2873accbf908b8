#pragma once

#include <algorithm>
#include <cstdint>

namespace twofold {

/// Whether a sanitizer is at work.
#if defined(__SANITIZE_ADDRESS__) || defined(TWOFOLD_THREAD_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of so many random cases to try: a sanitizer takes ten times the time and more, and
/// finds in a fiftieth of them what it finds at all. How often something holds is for `dev` to
/// count, which tries them all.
constexpr std::uint64_t Fewer(std::uint64_t cases) {
  return kSanitized ? std::max<std::uint64_t>(1, cases / 50) : cases;
}

}  // namespace twofold
