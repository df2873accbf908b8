#include "lib/postgres/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/postgres/errors.h"

namespace twofold::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Target, NameHasNeitherUserNorPasswordNorSettings) {
  const auto target = Target::Parse("postgresql://ann:geheim@db:5433/jobs?sslmode=require");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->name(), "postgresql://db:5433/jobs");
}

TEST(Target, KeywordsAndSeveralHostsAreNamed) {
  EXPECT_EQ(Target::Parse("host=a,b port=1,2 dbname=jobs password=geheim")->name(),
            "postgresql://a,b:1,2/jobs");
  EXPECT_EQ(Target::Parse("dbname=jobs")->name(), "postgresql://(local)/jobs");
}

TEST(Target, ErrorDoesNotQuoteWhatMayBeAPassword) {
  for (const char* bad : {"postgresql://ann:ge heim@db/jobs?bad=1", "password", "geheim=1", ""}) {
    const auto target = Target::Parse(bad);
    EXPECT_TRUE(absl::IsInvalidArgument(target.status())) << bad;
    EXPECT_THAT(std::string(target.status().message()), Not(HasSubstr("heim")));
  }
}

TEST(Target, PasswordIsToldInBothForms) {
  EXPECT_TRUE(Target::Parse("postgresql://ann:geheim@db/jobs")->has_password());
  EXPECT_TRUE(Target::Parse("postgresql://ann@db/jobs?password=geheim")->has_password());
  EXPECT_TRUE(Target::Parse("host=db password=geheim")->has_password());
  EXPECT_FALSE(Target::Parse("postgresql://ann@db/jobs?passfile=/run/pgpass")->has_password());
}

TEST(Target, UrlIsTold) {
  EXPECT_TRUE(Target::IsUrl("postgresql://db/jobs"));
  EXPECT_TRUE(Target::IsUrl("postgres://db/jobs"));
  EXPECT_FALSE(Target::IsUrl("sqlite:jobs.db"));
}

TEST(Errors, SqlStatesBecomeTheCodesOfAStore) {
  using absl::StatusCode;
  const std::pair<const char*, StatusCode> all[] = {
      {"53100", StatusCode::kResourceExhausted}, {"53300", StatusCode::kUnavailable},
      {"57014", StatusCode::kDeadlineExceeded},  {"57P01", StatusCode::kUnavailable},
      {"25006", StatusCode::kUnavailable},       {"40P01", StatusCode::kUnavailable},
      {"XX001", StatusCode::kDataLoss},          {"23505", StatusCode::kAlreadyExists},
      {"28P01", StatusCode::kPermissionDenied},  {"42501", StatusCode::kPermissionDenied},
      {"22P05", StatusCode::kInternal}};
  for (const auto& [state, code] : all) EXPECT_EQ(StatusOf(state, "why", "db").code(), code);
}

TEST(Errors, MessageIsOneLineThatNamesTheDatabaseAndTheState) {
  EXPECT_EQ(std::string(StatusOf("53100", "could not extend\n file\n", "db").message()),
            "db: the server's disk is full (could not extend;  file, SQLSTATE 53100)");
}

}  // namespace
}  // namespace twofold::postgres
