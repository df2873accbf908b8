// Reading and replaying a trace. An input that begins like a trace is taken as the file; any other
// is taken as the contents of its records, and gets their sizes and checksums here, as no fuzzer
// would guess them.

#include <algorithm>
#include <sstream>
#include <string>

#include "lib/trace/record.h"
#include "lib/trace/replay.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

namespace trace = queue::trace;

std::string FileOf(std::string_view input) {
  if (input.starts_with(trace::kMagic)) return std::string(input);
  std::string file = trace::Header();
  while (!input.empty()) {
    const std::string_view body = input.substr(0, input.find(kStepEnd));
    input.remove_prefix(std::min(body.size() + kStepEnd.size(), input.size()));
    trace::AppendRecord(file, body);
  }
  return file;
}

}  // namespace
}  // namespace twofold::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold;
  std::istringstream in(fuzz::FileOf(fuzz::Bytes(data, size)));
  std::size_t lines = 0;
  const auto report = queue::trace::Replay(in, {.print = [&](const std::string&) { ++lines; }});
  fuzz::Require(!report.ok() || !queue::trace::Text(*report).empty(), "a replay says how it went");
  return 0;
}
