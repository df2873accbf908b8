#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Logs in a status. Pure.
namespace twofold::benchmarks {

inline constexpr std::size_t kLogBytes = 4096;

/// The end of `log`, which is that of an output of `bytes` bytes, in `kLogBytes` at most. Where
/// something is left out, it begins with a line, and the line before says how much and `command`,
/// which shows all of it. It is UTF-8, without control characters but ends of lines.
std::string LogTail(std::string_view log, std::uint64_t bytes, std::string_view command);

}  // namespace twofold::benchmarks
