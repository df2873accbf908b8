#include "cli/runs/benchmark_file.h"

#include <fstream>
#include <utility>

#include "suites/table/table.h"

namespace twofold::cli {
// No more than the parser takes, so that a wrong file name, such as that of a disk, ends soon.
Result<std::string> ReadBenchmarkText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(spec::Limits().bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !(file || file.eof())) return absl::InvalidArgumentError("cannot read " + path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Result<Benchmark> ExpandBenchmark(const std::string& file, const std::string& text,
                                  const std::vector<std::string>& nodes) {
  auto sweep = spec::ReadSweep(file, text, suite::Kinds());
  if (!sweep.ok()) return sweep.status();
  auto expansion = spec::Expand(*sweep, {.nodes = nodes});
  if (!expansion.ok()) return expansion.status();
  return Benchmark{text, nodes, *std::move(sweep), *std::move(expansion)};
}

}  // namespace twofold::cli
