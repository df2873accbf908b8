#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "lib/spec/permutations.h"
#include "tests/lib/spec/sweeps.h"
#include "tests/support/sanitized.h"

namespace twofold::spec {
namespace {

using Files = std::map<std::string, std::string>;  // text by path below examples/

/// Objects of the operator that are no sets of jobs: measurements and pools of workers.
bool IsNoSweep(const std::string& text) {
  const auto has = [&](const char* line) { return text.find(line) != std::string::npos; };
  return has("apiVersion: twofold.dev/v1alpha1\n") && !has("\nkind: Benchmark\n");
}

Files ReadExamples() {
  Files files;
  const std::filesystem::path folder = TWOFOLD_SOURCE "/examples";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (IsNoSweep(text.str())) continue;
    files[std::filesystem::relative(entry.path(), folder).string()] = text.str();
  }
  return files;
}

/// How many jobs each file comes to. Those in benchmarks/ are the numbers of kube-perftest's files.
const std::map<std::string, std::size_t> kJobs = {
    {"benchmarks/cni/iperf-set.yaml", 40},
    {"benchmarks/cni/mpi-pingpong-set.yaml", 5},
    {"benchmarks/cni/openfoam-set.yaml", 7},
    {"benchmarks/hostnet/iperf-set.yaml", 40},
    {"benchmarks/hostnet/mpi-pingpong-set.yaml", 5},
    {"benchmarks/hostnet/openfoam.yaml", 1},
    {"benchmarks/accelerated/iperf-set.yaml", 45},
    {"benchmarks/accelerated/mpi-pingpong-set.yaml", 10},
    {"benchmarks/accelerated/openfoam-set.yaml", 8},
    {"benchmarks/accelerated/rdma-bw-set.yaml", 10},
    {"benchmarks/accelerated/rdma-lat-set.yaml", 10},
    {"benchmarks/macvlan/iperf-set.yaml", 45},
    {"benchmarks/macvlan/mpi-pingpong-set.yaml", 10},
    {"benchmarks/macvlan/openfoam-set.yaml", 8},
    {"benchmarks/macvlan/rdma-bw-set.yaml", 10},
    {"benchmarks/macvlan/rdma-lat-set.yaml", 10},
    {"benchmarks/sriov/iperf-set.yaml", 45},
    {"benchmarks/sriov/mpi-pingpong-set.yaml", 10},
    {"benchmarks/sriov/openfoam-set.yaml", 8},
    {"benchmarks/sriov/rdma-bw-set.yaml", 10},
    {"benchmarks/sriov/rdma-lat-set.yaml", 10},
    {"benchmarks/filesystem/fio-csi-cinder-nvme-set.yaml", 16},
    {"benchmarks/filesystem/fio-csi-cinder-set.yaml", 8},
    {"benchmarks/filesystem/fio-local-path-set.yaml", 24},
    {"benchmarks/filesystem/fio-rook-nfs-nvme.yaml", 24},
    {"fio-quick.yaml", 12},
    {"operator/fio-nightly.yaml", 6},
    {"operator/fio-own-workers.yaml", 6},
    {"operator/fio-quick.yaml", 12},
    {"gpu-quick.yaml", 18},
    {"iperf-pairs.yaml", 54},
    {"iperf-quick.yaml", 9},
    {"lifecycle-rates.yaml", 30},
    {"media-ladder.yaml", 12},
    {"media-parallel.yaml", 12},
    {"media-quick.yaml", 6},
    {"mpi-pingpong-quick.yaml", 3},
    {"object-storage-quick.yaml", 6},
    {"object-storage-sweep.yaml", 54},
    {"openfoam-quick.yaml", 6},
    {"openfoam-scaling.yaml", 12},
    {"osu-scaling.yaml", 15},
    {"pytorch-quick.yaml", 12},
    {"pytorch-scaling.yaml", 12},
    {"rdma-bandwidth.yaml", 18},
    {"rdma-latency.yaml", 9},
};

TEST(Examples, QuickOnesSayHowManyJobsTheyHaveAndRepeatThemThrice) {
  for (const auto& [path, text] : ReadExamples()) {
    if (path.find("-quick.yaml") == std::string::npos) continue;
    const Expansion expansion = ExpandedWell(text);
    EXPECT_NE(text.find(std::to_string(expansion.jobs.size()) + " jobs.\n"), std::string::npos)
        << path;
    EXPECT_EQ(expansion.jobs.size(), 3 * expansion.permutations.size()) << path;
  }
}

TEST(Examples, ExpandToTheirCounts) {
  const Files files = ReadExamples();
  for (const auto& [path, text] : files) {
    const Expansion expansion = ExpandedWell(text);
    const auto jobs = kJobs.find(path);
    ASSERT_NE(jobs, kJobs.end()) << path;
    EXPECT_EQ(expansion.jobs.size(), jobs->second) << path;
  }
  EXPECT_EQ(files.size(), kJobs.size());
}

/// Changes `text` in a few places: bytes replaced, taken out, doubled; or cut off.
std::string Mutated(std::string text, Random& random) {
  static constexpr std::string_view kNasty = "[]{}:,-#&*!|>'\"%@`?\t\n \xff\x01<0";
  for (std::uint64_t changes = 1 + random.Below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = random.Below(text.size());
    const std::size_t length = 1 + random.Below(20);
    switch (random.Below(4)) {
      case 0:
        text[at] = kNasty[random.Below(kNasty.size())];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(random.Below(text.size()), length));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

/// Whatever it says of `text`, it has to say it soon, with the place, and without dying.
void ExpectAnAnswer(const std::string& text) {
  const auto begin = std::chrono::steady_clock::now();
  const auto expansion = Expanded(text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << text;
  if (expansion.ok()) return;
  EXPECT_EQ(expansion.status().code(), absl::StatusCode::kInvalidArgument) << text;
  EXPECT_THAT(std::string(expansion.status().message()),
              testing::ContainsRegex("^f.yaml:[0-9]+:[0-9]+: ."))
      << text;
}

TEST(Examples, CutOffAnywhereGetAnAnswer) {
  for (const auto& [path, text] : ReadExamples()) {
    for (std::size_t length = 0; length < text.size(); length += 7) {
      ExpectAnAnswer(text.substr(0, length));
    }
  }
}

TEST(Examples, MutatedGetAnAnswer) {
  Random random(1);
  for (const auto& [path, text] : ReadExamples()) {
    for (std::uint64_t i = 0; i < Fewer(1250); ++i) ExpectAnAnswer(Mutated(text, random));
  }
}

}  // namespace
}  // namespace twofold::spec
