#include "tests/backend/benchmark/bench.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace twofold::backend {

BenchTest::~BenchTest() {
  recorder_.reset();
  benchmark_.reset();
  EXPECT_THAT(Left(), ::testing::IsEmpty());
}

void BenchTest::AddTool(const std::string& name, const std::string& text) {
  const std::string path =
      tools_.Write(name, absl::StrCat("#!/bin/sh\ncase \"$*\" in --version|-version|-v) echo ",
                                      name, " 1.0; exit;; esac\n", text, "\n"));
  chmod(path.c_str(), 0755);
}

void BenchTest::Make(const suite::Suite& suite) {
  options_.suite_path = {tools_.Path("")};
  recorder_.reset();
  benchmark_.reset();
  benchmark_.emplace(io_, reaper_, Offers{.suites = {&suite}, .labels = {}, .missing = {}},
                     options_);
  recorder_.emplace(io_, *benchmark_);
  io_.restart();
}

BenchEnd BenchTest::Run(const suite::Suite& suite, const std::string& spec) {
  Make(suite);
  recorder_->Start(0, {spec});
  return EndOf(0);
}

void BenchTest::StartGang(const std::string& spec, std::uint32_t members) {
  roster_.Clear();
  roster_.set_job(17);
  roster_.set_attempt(2);
  roster_.set_secret("secret");
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    v1::Peer& peer = *roster_.add_peers();
    peer.set_address("127.0.0.1");
    peer.set_node(absl::StrCat("node-", rank));
  }
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    const GangSeat seat{&roster_, rank};
    recorder_->Start(rank, {spec}, &seat);
  }
}

void BenchTest::AwaitReady(std::size_t members) {
  recorder_->AwaitThat(
      [&] { return recorder_->ready().size() == members || !recorder_->ends().empty(); });
}

BenchEnd BenchTest::RunGang(const suite::Suite& suite, const std::string& spec,
                            std::uint32_t members) {
  Make(suite);
  StartGang(spec, members);
  AwaitReady(members);
  if (recorder_->ends().empty()) {
    for (std::uint32_t rank = 0; rank < members; ++rank) benchmark_->Go(rank, Now());
  }
  recorder_->AwaitThat([&] { return !recorder_->ends().empty(); });
  const Slot first = recorder_->ends().begin()->first;
  for (std::uint32_t rank = 0; rank < members; ++rank) benchmark_->Stop(rank);
  recorder_->Await(members);
  return EndOf(first);
}

BenchEnd BenchTest::EndOf(Slot slot) {
  recorder_->AwaitThat([&] { return recorder_->ends().contains(slot); });
  const Recorder::End& end = recorder_->ends().at(slot);
  BenchEnd bench{end.outcome, end.report, {}};
  EXPECT_TRUE(bench.result.ParseFromString(end.report.data()));
  return bench;
}

std::vector<std::string> BenchTest::Left() const {
  namespace fs = std::filesystem;
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(work_.Path(""))) {
    left.push_back(entry.path());
  }
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (environment.find("TWOFOLD_WORK=" + work_.Path("")) == std::string::npos) continue;
    left.push_back(entry.path());
  }
  return left;
}

std::string SamplePath(const std::string& name) { return std::string(GOLDEN_FOLDER) + "/" + name; }

}  // namespace twofold::backend
