// The worked example of docs/trace.md is what the code writes.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/lib/trace/fixture.h"

namespace twofold::queue::trace {
namespace {

/// The bytes of the block that begins with "```hex": on each line up to two spaces.
std::string Example() {
  std::ifstream document(TWOFOLD_SOURCE "/docs/trace.md");
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) inside = line == "```hex";
    if (!inside || line == "```hex") continue;
    std::istringstream pairs(line.substr(0, line.find("  ")));
    for (std::string pair; pairs >> pair;) {
      bytes.push_back(static_cast<char>(std::stoi(pair, nullptr, 16)));
    }
  }
  return bytes;
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%02x ", static_cast<unsigned char>(byte));
    text += pair;
  }
  return text;
}

TEST(TraceDocument, TheExampleIsWhatIsWritten) {
  MemoryFile file;
  RecordedQueue queue({}, file.Record("q"));
  NoEffects effects;
  const auto options = std::make_shared<const JobOptions>();
  queue.Step(Instant(std::chrono::seconds(1)), input::Submit{SubmitterId{1}, 5, options, "abc"},
             effects);
  file.End();
  EXPECT_EQ(Hex(Example()), Hex(file.bytes()));
}

}  // namespace
}  // namespace twofold::queue::trace
