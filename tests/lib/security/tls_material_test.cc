#include "lib/security/tls_material.h"

#include <gtest/gtest.h>

#include "tests/support/certificates.h"

namespace twofold::security {
namespace {

TEST(CertificateName, IsThatWhichACertificateCanBeKnownBy) {
  const testing::Authority authority("Test CA");
  EXPECT_EQ(CertificateName(authority.Issue("worker", false).cert), "worker");
  EXPECT_EQ(CertificateName(authority.Issue("two", true).cert), "two");
  EXPECT_EQ(CertificateName(authority.cert()), "Test CA");
}

TEST(CertificateName, IsEmptyForWhatIsNoCertificate) {
  EXPECT_EQ(CertificateName(""), "");
  EXPECT_EQ(CertificateName("-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n"),
            "");
}

}  // namespace
}  // namespace twofold::security
