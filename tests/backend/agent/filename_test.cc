#include "backend/agent/filename.h"

#include <gtest/gtest.h>

#include "tests/backend/temp_dir.h"

namespace twofold::backend {
namespace {

TEST(FirstMatch, IsTheFirstInSortedOrder) {
  const TempDir dir;
  for (const char* name : {"renderD129", "renderD128", "card0"}) dir.Write(name, "");
  EXPECT_EQ(FirstMatch(dir.Path("renderD*")).value(), dir.Path("renderD128"));
}

TEST(FirstMatch, NothingIsNotFoundAndNamesThePattern) {
  const TempDir dir;
  const auto match = FirstMatch(dir.Path("x*"));
  EXPECT_EQ(match.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(match.status().message(), "nothing matches '" + dir.Path("x*") + "'");
  EXPECT_FALSE(FirstMatch(dir.Path("no/folder/*")).ok());
}

TEST(ReplaceFilename, ReplacesEachAlsoInsideAnArgument) {
  EXPECT_EQ(ReplaceFilename("-i=FILENAME:FILENAME", "a.mp4"), "-i=a.mp4:a.mp4");
  EXPECT_EQ(ReplaceFilename("filename", "a.mp4"), "filename");
}

}  // namespace
}  // namespace twofold::backend
