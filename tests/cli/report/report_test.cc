// What `twofold report` reads, prints and writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "lib/results/sqlite_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::cli {
namespace {

using results::Record;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  Status status;
  std::string out;
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder with a store, in which run "sweep" has two jobs that succeeded and one that failed.
class ReportCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = results::SqliteStore::Open(store_).value();
    std::vector<Record> records = {results::SweepCreated()};
    for (results::JobId id = 1; id <= 2; ++id) {
      records.emplace_back(results::Placed(id, 1, static_cast<std::uint32_t>(id)));
      records.emplace_back(results::EndedWith(id, results::FullResult(9.0 + 0.1 * double(id))));
    }
    records.emplace_back(results::Placed(3, 2, 1));
    records.emplace_back(results::Ended(3, 1, queue::Outcome::kFailed));
    ASSERT_EQ(store->Commit(records), absl::OkStatus());
  }

  Ran Report(std::vector<std::string> arguments) {
    CLI::App app("", "twofold");
    Globals globals;
    Action chosen;
    AddCommands(app, AllCommands(), globals, chosen);
    arguments.insert(arguments.begin(), {"twofold", "report"});
    std::vector<const char*> argv;
    for (const std::string& each : arguments) argv.push_back(each.c_str());
    EXPECT_FALSE(ParseCommandLine(app, static_cast<int>(argv.size()), argv.data()));
    ::testing::internal::CaptureStdout();
    Ran ran{chosen(), ""};
    ran.out = ::testing::internal::GetCapturedStdout();
    return ran;
  }

  [[nodiscard]] std::string Path(const std::string& name) const { return dir_.Path(name); }

  results::TempDir dir_;
  std::string store_ = dir_.Path("runs.db");
  const std::string validation_ =
      std::string(TWOFOLD_SOURCE) + "/tests/golden/report/validation.json";
};

TEST_F(ReportCommandTest, PrintsVerdictAndTablesOfARun) {
  const Ran ran = Report({"sweep", "--store", store_});
  ASSERT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_THAT(ran.out, HasSubstr("Failed: 1 of "));
  EXPECT_THAT(ran.out, HasSubstr("Headlines: over the jobs that succeeded"));
  EXPECT_THAT(ran.out, HasSubstr("Workers of one of its jobs"));
  EXPECT_EQ(Report({"@last", "--store", store_}).out, ran.out);
  EXPECT_EQ(Report({store_}).out, ran.out);  // a store is known by its content
}

TEST_F(ReportCommandTest, WritesAllFormsAtOnceAndPrintsNothingThen) {
  const Ran ran = Report({validation_, "--html", Path("r.html"), "--svg", Path("figures"),
                          "--junit", Path("junit.xml"), "--openmetrics", Path("r.om")});
  ASSERT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ReadAll(Path("r.html")),
            ReadAll(std::string(TWOFOLD_SOURCE) + "/tests/golden/report/validation.html"));
  EXPECT_THAT(ReadAll(Path("figures/throughput.svg")), StartsWith("<svg"));
  EXPECT_THAT(ReadAll(Path("junit.xml")), HasSubstr("failures=\"1\""));
  EXPECT_THAT(ReadAll(Path("r.om")), ::testing::EndsWith("# EOF\n"));
  for (const auto& file : std::filesystem::directory_iterator(Path(""))) {
    EXPECT_NE(file.path().extension(), ".part");
  }
}

TEST_F(ReportCommandTest, PrintsMarkdown) {
  const Ran ran = Report({validation_, "--markdown"});
  EXPECT_EQ(ran.out, ReadAll(std::string(TWOFOLD_SOURCE) + "/tests/golden/report/validation.md"));
}

TEST_F(ReportCommandTest, PrintsJsonForScripts) {
  const Ran ran = Report({validation_, "--output", "json"});
  EXPECT_THAT(ran.out, HasSubstr("\"outcome\":\"fail\""));
}

TEST_F(ReportCommandTest, AReportOfWhatFailedIsMadeWhichIsExitCode0) {
  EXPECT_EQ(ExitCode(Report({validation_, "--html", Path("r.html")}).status), 0);
  EXPECT_EQ(ExitCode(Report({"sweep", "--store", store_}).status), 0);
  EXPECT_EQ(ExitCode(Report({Path("missing.json")}).status), kExitNotFound);
}

TEST_F(ReportCommandTest, SaysWhatIsWrongWithAName) {
  EXPECT_EQ(Report({Path("missing.json")}).status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Report({"missing", "--store", store_}).status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Report({Path("")}).status.code(), absl::StatusCode::kInvalidArgument);
  std::ofstream(Path("some.json")) << "{\"a\": 1}";
  const Status other = Report({Path("some.json")}).status;
  EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other.message()), HasSubstr("some.json: is JSON of another kind"));
  EXPECT_EQ(Report({validation_, "sweep", "--store", store_}).status.code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ReportCommandTest, AFileThatCannotBeWrittenIsNamedAndTheOthersAreWritten) {
  const Ran ran =
      Report({validation_, "--html", Path("no/such/r.html"), "--junit", Path("junit.xml")});
  EXPECT_EQ(ran.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ran.status.message()), StartsWith("--html: "));
  EXPECT_THAT(ReadAll(Path("junit.xml")), StartsWith("<?xml"));
}

}  // namespace
}  // namespace twofold::cli
