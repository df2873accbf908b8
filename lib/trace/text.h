#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/trace/outputs.h"
#include "lib/trace/trace_decoder.h"

/// Traces as people read them: the same text for the same trace, byte for byte.
namespace twofold::queue::trace {

/// "submit submitter=1 tag=7 options=#4be2... spec='abc'". Bytes that are no plain text are
/// escaped; of long ones there are only the size and the digest.
std::string Text(const Input& input);
std::string Text(const AnyOutput& output);

/// "queue 0 'sleep' limit=0 lease=15s ..."
std::string Text(std::uint64_t number, const TracedLine& queue);
/// "options #4be2... suite='sleep' ..."
std::string Text(const OptionsTable::Entry& options);

/// The outputs of a step, a line each; nullopt: they cannot be read.
std::optional<std::vector<std::string>> OutputLines(std::string_view outputs);

/// Seconds with nine digits after the point.
std::string SecondsText(Duration duration);

}  // namespace twofold::queue::trace
