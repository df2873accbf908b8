#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/benchmark/benchmark.h"
#include "tests/backend/benchmark/fake_peer_link.h"
#include "tests/backend/temp_dir.h"
#include "tests/backend/workload/recorder.h"

namespace twofold::backend {

/// How a job went.
struct BenchEnd {
  v1::Outcome outcome;
  v1::Report report;
  v1::BenchmarkResult result;
};

/// Runs jobs of a suite, alone or as a gang whose members are slots of this process, with programs
/// that the test writes. Afterwards nothing may be left.
class BenchTest : public ::testing::Test {
 protected:
  ~BenchTest() override;

  /// A shell text as a program that is found before others of that name. It says its version.
  void AddTool(const std::string& name, const std::string& text);

  /// Runs one job to its end.
  BenchEnd Run(const suite::Suite& suite, const std::string& spec);

  /// Runs a gang until rank 0 has ended, then stops the others, as the frontend does. If a member
  /// ends before rank 0 has, that is the end of the job.
  BenchEnd RunGang(const suite::Suite& suite, const std::string& spec, std::uint32_t members);

  /// For tests that do that step by step.
  void Make(const suite::Suite& suite);
  void StartGang(const std::string& spec, std::uint32_t members);
  void AwaitReady(std::size_t members);
  BenchEnd EndOf(Slot slot);

  /// What is left of jobs: entries of the work folder, and processes.
  std::vector<std::string> Left() const;

  boost::asio::io_context io_{1};
  process::Reaper reaper_{io_};
  TempDir tools_;
  TempDir work_;
  FakePeerLink peers_;
  BenchmarkOptions options_ = {.spec = {},
                               .suite_path = {},
                               .work_dir = work_.Path(""),
                               .worker = {"node-1", "pod-1", "127.0.0.1", "image-1"},
                               .allowed = {},
                               .peers = &peers_,
                               .limits = {}};
  v1::GangRoster roster_;
  std::optional<Benchmark> benchmark_;
  std::optional<Recorder> recorder_;
};

/// The path of a sample of tests/golden/suites, for tools that print it.
std::string SamplePath(const std::string& name);

}  // namespace twofold::backend
