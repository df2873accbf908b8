#include "lib/security/reloaded.h"

#include <gtest/gtest.h>

#include "lib/security/server.h"
#include "tests/lib/security/options_of.h"
#include "tests/support/certificates.h"
#include "tests/support/log_capture.h"
#include "tests/support/program.h"

namespace twofold::security {
namespace {

using testing::LogCapture;
using testing::WriteFile;

class ReloadTest : public ::testing::Test {
 protected:
  testing::TempDir folder_;
  const std::string file_ = folder_ / "tokens";
  LogCapture log_;
};

TEST_F(ReloadTest, ChangedTokensCountFromTheNextLook) {
  WriteFile(file_, "client a 0123456789abcdef\n");
  const auto server = Open(WithTokens(file_));
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_NE(server->tokens->Get()->Find("0123456789abcdef"), nullptr);
  WriteFile(file_, "client a abcdef0123456789\n");
  EXPECT_EQ(server->tokens->Get()->Find("0123456789abcdef"), nullptr);
  EXPECT_NE(server->tokens->Get()->Find("abcdef0123456789"), nullptr);
}

TEST_F(ReloadTest, BrokenTokensKeepTheOldOnesAndAreLoggedOnceWithoutTheToken) {
  WriteFile(file_, "client a 0123456789abcdef\n");
  const auto server = Open(WithTokens(file_));
  ASSERT_TRUE(server.ok()) << server.status();
  WriteFile(file_, "client a 0123456789abcdef\nclient too-s3cret\n");
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(server->tokens->Get()->Find("0123456789abcdef"), nullptr);
  }
  EXPECT_EQ(log_.errors(), 1) << log_.text();
  EXPECT_NE(log_.text().find("line 2"), std::string::npos) << log_.text();
  EXPECT_EQ(log_.text().find("s3cret"), std::string::npos) << log_.text();
}

TEST_F(ReloadTest, RemovedFilesKeepWhatWasThere) {
  WriteFile(file_, "client a 0123456789abcdef\n");
  const auto server = Open(WithTokens(file_));
  ASSERT_TRUE(server.ok()) << server.status();
  std::remove(file_.c_str());
  EXPECT_NE(server->tokens->Get()->Find("0123456789abcdef"), nullptr);
  EXPECT_EQ(log_.errors(), 1) << log_.text();
}

TEST_F(ReloadTest, CertificateWithTheKeyStillToComeKeepsTheOldPair) {
  const testing::Authority authority;
  const auto first = authority.Issue("first");
  const auto second = authority.Issue("second");
  const std::string cert = folder_ / "tls.crt";
  const std::string key = folder_ / "tls.key";
  WriteFile(cert, first.cert);
  WriteFile(key, first.key);
  const auto server = Open(Serving(cert, key));
  ASSERT_TRUE(server.ok()) << server.status();
  WriteFile(cert, second.cert);
  EXPECT_EQ(server->tls->Get()->cert, first.cert);
  WriteFile(key, second.key);
  EXPECT_EQ(server->tls->Get()->cert, second.cert);
}

}  // namespace
}  // namespace twofold::security
