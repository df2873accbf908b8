// Reading what tools print, by each suite: the first byte says by which, the rest is the output.

#include <string>

#include "lib/suite/plausible.h"
#include "suites/table/table.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold;
  if (size == 0) return 0;
  const auto suites = suite::Suites();
  const suite::Suite& one = suites[data[0] % suites.size()];
  suite::Outputs outputs;
  outputs.stages.emplace_back().out = std::string(fuzz::Bytes(data + 1, size - 1));
  const auto numbers = one.parse(outputs);
  if (!numbers.ok()) {
    fuzz::Require(!numbers.status().message().empty(), "an error has a reason");
    return 0;
  }
  fuzz::Require(suite::FirstFault(*numbers).empty(), "no number that the rules forbid gets out");
  if (one.runs != nullptr) {
    fuzz::Require(one.runs(outputs.stages[0].out).size() <= size, "runs are parts of the output");
  }
  return 0;
}
