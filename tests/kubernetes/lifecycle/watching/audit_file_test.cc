#include "kubernetes/lifecycle/watching/audit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/lifecycle/times/seen_run.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {
namespace {

using ::testing::HasSubstr;

class AuditFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    testing::WriteFile(folder_ / name, text);
    return folder_ / name;
  }

  static std::string LineOf(int i) {
    const Object entry = {{"stage", "ResponseComplete"},
                          {"verb", "create"},
                          {"objectRef",
                           {{"resource", "jobs"},
                            {"apiGroup", "batch"},
                            {"namespace", "load"},
                            {"name", JobName(i)}}},
                          {"responseStatus", {{"code", 201}}},
                          {"requestReceivedTimestamp", Rfc3339(ServerTime(SentAt(i)))},
                          {"stageTimestamp", Rfc3339(ServerTime(CreatedAt(i)))}};
    return entry.dump();
  }

  testing::TempDir folder_;
  const SeenRun run_{5};
  AuditNotes notes_{*FindKind("job").value(), run_.lives(), ServerTime(-100)};
};

TEST_F(AuditFileTest, RotatedFilesAreReadInAnyOrderWithTornEnds) {
  // A line of two chunks of reading, and an end without a line break.
  const std::string filler = "{\"x\":\"" + std::string(3 << 20, 'x') + "\"}\n";
  const std::string first =
      Write("audit-1.log", LineOf(0) + "\n" + filler + LineOf(1) + "\n" + LineOf(2).substr(0, 40));
  const std::string second = Write("audit.log", LineOf(2).substr(40) + "\n" + LineOf(3));
  ASSERT_TRUE(ReadAudit({second, first}, notes_).ok());
  EXPECT_EQ(notes_.counts().lines, 6U);
  EXPECT_EQ(notes_.counts().matched, 3U);
  EXPECT_EQ(notes_.counts().torn, 2U);
}

TEST_F(AuditFileTest, ALineThatIsTooLongIsLeftOut) {
  const std::string path = Write("audit.log", std::string(5000, 'x') + "\n" + LineOf(0) + "\n");
  ASSERT_TRUE(ReadAudit({path}, notes_, {.line = 2000}).ok());
  EXPECT_EQ(notes_.counts().torn, 1U);
  EXPECT_EQ(notes_.counts().matched, 1U);
}

TEST_F(AuditFileTest, LimitsAndFilesThatCannotBeReadAreNamed) {
  const std::string path = Write("audit.log", LineOf(0) + "\n");
  const auto message = [&](const std::string& file, const AuditLimits& limits = {}) {
    const Status status = ReadAudit({file}, notes_, limits);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(message(path, {.bytes = 10}), HasSubstr("give the files of the time of the run"));
  EXPECT_THAT(message(path, {.time = Duration(-1)}), HasSubstr("--audit: " + path));
  EXPECT_THAT(message(folder_ / "none"), HasSubstr("No such file"));
  EXPECT_THAT(message(Write("audit.gz", "\x1f\x8b\b")), HasSubstr("unpack it first"));
}

}  // namespace
}  // namespace twofold::lifecycle
