#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

/// The main of executables that have the tests of many files: `--files=A,B` runs those of these
/// files only, each named by the end of its path. So each file's tests are a process of their own,
/// though all are linked once.
namespace {

constexpr std::string_view kOption = "--files=";

/// GoogleTest's filter for the tests of one file; empty if it has none.
std::string FilterFor(std::string_view file) {
  const std::string end = absl::StrCat("/", std::string(file));
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (absl::EndsWith(test.file(), end))
        absl::StrAppend(&filter, suite.name(), ".", test.name(), ":");
    }
  }
  return filter;
}

}  // namespace

#ifdef TWOFOLD_THREAD_SANITIZER
/// Debian's libraries are built without ThreadSanitizer, which sees what ours inlines of them, and
/// not what orders it: it takes the first use of the log, and the time that the log's lines share
/// under its lock, for races; and that whoever counts the references of a Status down to none frees
/// what others have read, who counted theirs down in the library. A Status that two threads use
/// without a lock is still found: the pointer to what is counted is not touched by these functions.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libspdlog.so\n"
         "race:spdlog::details::full_formatter::format\n"
         "called_from_lib:libabsl_status.so\n"
         "race:absl::*::Status::Unref\n";
}
#endif

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  std::string filter;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument.substr(0, kOption.size()) != kOption) continue;
    const std::vector<std::string> files =
        absl::StrSplit(std::string(argument.substr(kOption.size())), ',');
    for (const std::string& file : files) {
      const std::string found = FilterFor(file);
      if (found.empty()) {
        std::cerr << "no tests of " << file << " are in " << argv[0] << "\n";
        return 2;
      }
      filter += found;
    }
  }
  if (!filter.empty()) GTEST_FLAG_SET(filter, filter);
  return RUN_ALL_TESTS();
}
