#pragma once

namespace twofold {

/// Whether a sanitizer is at work: it takes ten times the time, and finds in a tenth of the random
/// cases what it finds at all.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace twofold
