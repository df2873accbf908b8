#include "cli/command/repeat.h"

#include <gtest/gtest.h>

#include <sstream>
#include <utility>
#include <vector>

namespace twofold::cli {
namespace {

/// Shows `looks` one after the other, then is told to end.
struct Shown {
  explicit Shown(std::vector<Result<std::string>> looks) {
    std::size_t next = 0;
    const auto clear = [this] { out << "<clear>"; };
    const auto wait = [&] { return next < looks.size(); };
    status = Repeat([&] { return looks.at(next++); }, {out, err, clear, wait});
  }

  Status status;
  std::ostringstream out;
  std::ostringstream err;
};

TEST(Repeat, EachLookTakesThePlaceOfTheOneBefore) {
  const Shown shown({"one\n", "two\n"});
  EXPECT_EQ(shown.out.str(), "<clear>one\n<clear>two\n");
  EXPECT_TRUE(shown.status.ok());
}

TEST(Repeat, AFrontendThatWasNeverThereIsAnError) {
  const Shown shown({absl::UnavailableError("away"), "two\n"});
  EXPECT_TRUE(absl::IsUnavailable(shown.status));
  EXPECT_EQ(shown.out.str(), "");
}

TEST(Repeat, AFrontendThatGoesAwayIsAskedAgain) {
  const Shown shown({"one\n", absl::UnavailableError("away"), "three\n"});
  EXPECT_EQ(shown.out.str(), "<clear>one\n<clear><clear>three\n");
  EXPECT_EQ(shown.err.str(), "away; trying again\n");
  EXPECT_TRUE(shown.status.ok());
}

TEST(Repeat, AnErrorThatStaysEndsIt) {
  const Shown shown({"one\n", absl::PermissionDeniedError("no"), "three\n"});
  EXPECT_TRUE(absl::IsPermissionDenied(shown.status));
  EXPECT_EQ(shown.out.str(), "<clear>one\n");
}

}  // namespace
}  // namespace twofold::cli
