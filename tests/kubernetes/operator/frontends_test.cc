#include "kubernetes/operator/frontends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "kubernetes/operator/group.h"
#include "tests/support/program.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::HasSubstr;

class FrontendsTest : public ::testing::Test {
 protected:
  FrontendsTest() {
    std::filesystem::create_directory(files_);
    own_.frontend = "own:9997";
    own_.security.token_file = files_ + "/own";
    Write("own", "token-of-the-operator");
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(files_ + "/" + name) << text;
  }
  void Put(const std::string& name, Json spec = Json::object()) {
    spec["namespaces"] = Json::array({{{"name", "a"}, {"kinds", {"Fio"}}}});
    frontends_[name] =
        std::make_shared<const Json>(Json({{"metadata", {{"name", name}}}, {"spec", spec}}));
  }
  [[nodiscard]] Frontends Open(bool with_folder = true) const {
    return {own_, with_folder ? files_ : "", [this](const std::string& name) {
              const auto found = frontends_.find(name);
              return found == frontends_.end() ? nullptr : found->second;
            }};
  }
  static Json Of(const std::string& space, const Json& more = Json::object()) {
    Json spec = {{"template", {{"kind", "Fio"}}}};
    spec.update(more);
    return {
        {"kind", "Benchmark"}, {"metadata", {{"name", "x"}, {"namespace", space}}}, {"spec", spec}};
  }
  /// "Reason: message", with ", for good" where it is the end; empty: nothing is against it.
  [[nodiscard]] std::string Bar(const Json& object, bool connects = true) const {
    const auto bar = Open().BarTo(object, connects);
    return bar ? bar->reason + (bar->is_end ? ", for good: " : ": ") + bar->message : "";
  }

  testing::TempDir folder_;
  const std::string files_ = folder_ / "files";
  cli::Globals own_;
  std::map<std::string, controller::Snapshot> frontends_;
};

TEST_F(FrontendsTest, WithoutAFolderAllRunAtTheFrontendOfTheCommandLine) {
  const Frontends frontends = Open(false);
  EXPECT_FALSE(frontends.BarTo(Of("a"), true));
  EXPECT_EQ(frontends.SiteOf(Of("a"))->globals.frontend, "own:9997");
  EXPECT_EQ(frontends.SiteOf(Of("a"))->globals.security.token_file, own_.security.token_file);
}

TEST_F(FrontendsTest, WithoutAFolderWhatNamesAFrontendIsNotRunElsewhere) {
  const auto bar = Open(false).BarTo(Of("a", {{"frontendRef", "disks"}}), true);
  ASSERT_TRUE(bar);
  EXPECT_EQ(bar->reason, "NoSuchFrontend");
  EXPECT_FALSE(bar->is_end);
}

TEST_F(FrontendsTest, AFrontendThatIsNotThereIsWaitedFor) {
  EXPECT_EQ(Bar(Of("a")), "NoSuchFrontend: there is no Frontend default");
  EXPECT_EQ(Bar(Of("a", {{"frontendRef", "y"}})), "NoSuchFrontend: there is no Frontend y");
  EXPECT_TRUE(absl::IsFailedPrecondition(Open().SiteOf(Of("a")).status()));
}

TEST_F(FrontendsTest, EachNamespaceHasItsOwnTokenAndNeverTheOperators) {
  Put("default");
  Write("default.b.token", "token-of-namespace-b");
  EXPECT_THAT(Bar(Of("a")), HasSubstr("NoCredentials: namespace a at Frontend default: "
                                      "--token-file: "));
  EXPECT_FALSE(Open().SiteOf(Of("a")).ok());
  Write("default.a.token", "token-of-namespace-a");
  EXPECT_EQ(Bar(Of("a")), "");
  const auto site = Open().SiteOf(Of("a"));
  EXPECT_EQ(site->globals.frontend, "own:9997");
  EXPECT_EQ(site->globals.security.token_file, files_ + "/default.a.token");
  EXPECT_EQ(Open().SiteOf(Of("b"))->globals.security.token_file, files_ + "/default.b.token");
}

TEST_F(FrontendsTest, ATokenThatCannotBeOneIsNotSent) {
  Put("default");
  Write("default.a.token", "short");
  EXPECT_THAT(Bar(Of("a")), HasSubstr("NoCredentials: "));
}

TEST_F(FrontendsTest, WhatIsForbiddenHasFailed) {
  Put("default");
  EXPECT_THAT(Bar(Of("c")), HasSubstr("Forbidden, for good: namespace c may not run anything"));
}

TEST_F(FrontendsTest, WhatThePodsDoByThemselvesNeedsNoTokenOfTheOperators) {
  Put("default", {{"address", "other:9997"}});
  EXPECT_EQ(Bar(Of("a"), false), "");
  EXPECT_EQ(Open().AddressOf(Of("a")), "other:9997");
  EXPECT_EQ(Open(false).AddressOf(Of("a")), "");
}

// A CA that is missing must not show the token to whoever listens.
TEST_F(FrontendsTest, AnAddressHasTlsUnlessItSaysOtherwise) {
  Put("default", {{"address", "other:9997"}, {"serverName", "name"}});
  Put("plain", {{"address", "plain:9997"}, {"tls", false}});
  Write("default.a.token", "token-of-namespace-a");
  Write("plain.a.token", "token-of-namespace-a");
  own_.security.ca = "/ca-of-the-operator";
  EXPECT_THAT(Bar(Of("a")), HasSubstr("default.ca.crt"));
  const auto site = Open().SiteOf(Of("a", {{"frontendRef", "plain"}}));
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->globals.frontend, "plain:9997");
  EXPECT_EQ(site->globals.security.ca, "");
}

TEST_F(FrontendsTest, TheVariableWithTheOperatorsTokenIsNotSentEither) {
  Put("default");
  setenv("TWOFOLD_TOKEN", "token-of-the-operator", 1);
  EXPECT_THAT(Bar(Of("a")), HasSubstr("NoCredentials: "));
  unsetenv("TWOFOLD_TOKEN");
}

}  // namespace
}  // namespace twofold::benchmarks
