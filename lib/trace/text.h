#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "twofold/v1/trace.pb.h"

/// Traces as people read them: the same text for the same trace, byte for byte.
namespace twofold::queue::trace {

/// "WORD submitter=1 tag=7 options=#4be2... spec='abc'": all fields but those that are not set. Of
/// options there is the digest. Bytes that are no plain text are escaped; of long ones there are
/// only the size and the digest.
std::string Text(std::string_view word, const google::protobuf::Message& message);

/// The field that is set, of an Input or an Effect; its name is the word.
std::string Text(const google::protobuf::Message& one_of);

/// "options #4be2... suite='sleep' ...", if the input comes with some; else "".
std::string OptionsText(const v1::trace::Input& input);

/// What came of a step, a line each.
std::vector<std::string> OutputLines(const v1::trace::Step& step);

/// Seconds with nine digits after the point.
std::string SecondsText(Duration duration);

}  // namespace twofold::queue::trace
