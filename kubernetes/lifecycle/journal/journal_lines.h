#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/lifecycle/journal/tally.h"
#include "kubernetes/lifecycle/moments/inputs.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "lib/common/result.h"
#include "twofold/v1/lifecycle.pb.h"

/// The lines of a journal, as text. Pure.
namespace twofold::lifecycle {

class Observer;

/// `record`: the ConfigMap as the server has it.
std::string HeadLine(const Object& record);

/// Objects are trimmed to what `kind` reads.
std::string LineOf(const Input& input, const Kind& kind, const Anchor& anchor);
std::string LineOf(const Tally& tally, std::int64_t unix_ns);

/// Says that nothing more was written, as there was no room.
std::string FullLine();

/// Reads one, also in the form of earlier versions: {"do": "sent", "t": ..., "name": ...}.
/// Errors   kInvalidArgument, names the field.
Result<v1::LifecycleLine> ReadLine(const std::string& text);

/// The record in a head.
/// Errors   kInvalidArgument: it is no head, or that of another version.
Result<Object> RecordIn(const v1::LifecycleLine& line);

Tally TallyOf(const v1::LifecycleLine::Tally& line);

/// Tells the observer a line that is an input.
/// Errors   kInvalidArgument, names the field; those of the Observer.
Status Tell(Observer& observer, const v1::LifecycleLine& line, const Anchor& anchor);

}  // namespace twofold::lifecycle
