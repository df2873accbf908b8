#include "lib/suite/text.h"
#include "suites/media/media.h"

namespace twofold::suite::media {

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("transcode", "no output");
  const StageOutput& output = outputs.stages.front();
  const std::string stage = output.stage.empty() ? "transcode" : output.stage;
  const bool sessions = output.out.find("Multi Transcoding Sample") != std::string::npos ||
                        output.out.find("*** session ") != std::string::npos;
  return sessions ? ParseSessions(stage, output) : ParseFfmpeg(stage, output);
}

}  // namespace twofold::suite::media
