#include "lib/h2/metadata.h"

#include <gmock/gmock.h>
#include <nghttp2/nghttp2.h>

#include "tests/support/googletest.h"

namespace twofold::h2 {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(MetadataTest, AnyTextSurvivesPercentEncoding) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  const std::string encoded = PercentEncode(all);
  for (const char c : encoded) EXPECT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
  EXPECT_EQ(PercentDecode(encoded), all);
  EXPECT_EQ(PercentEncode("100 % \n"), "100 %25 %0A");
}

TEST(MetadataTest, PercentWithoutDigitsStaysAsItIs) {
  for (const char* text : {"%", "%4", "100%", "%zz", "%4z", "%-1"}) {
    EXPECT_EQ(PercentDecode(text), text);
  }
  EXPECT_EQ(PercentDecode("%41%4a%4A"), "AJJ");
}

TEST(MetadataTest, Base64IsTakenWithAndWithoutPadding) {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string bytes(size, '\xfe');
    std::string text = ToBase64(bytes);
    EXPECT_EQ(text.find('='), std::string::npos);
    EXPECT_EQ(FromBase64(text), bytes);
    while (text.size() % 4 != 0) text += '=';
    EXPECT_EQ(FromBase64(text), bytes);
  }
  for (const char* text : {"*", "a", "abcde", "ab=c"}) EXPECT_FALSE(FromBase64(text)) << text;
}

TEST(MetadataTest, TimeoutHasEightDigitsAtMostAndIsNeverTooShort) {
  EXPECT_EQ(ToTimeout(nanoseconds(0)), "0n");
  EXPECT_EQ(ToTimeout(seconds(-1)), "0n");
  EXPECT_EQ(ToTimeout(nanoseconds(99'999'999)), "99999999n");
  EXPECT_EQ(ToTimeout(nanoseconds(100'000'001)), "100001u");
  EXPECT_EQ(ToTimeout(hours(24 * 365)), "31536000S");
  EXPECT_EQ(ToTimeout(Duration::max()), "2562048H");
}

TEST(MetadataTest, TimeoutIsReadInEachUnit) {
  EXPECT_EQ(FromTimeout("1n"), nanoseconds(1));
  EXPECT_EQ(FromTimeout("20u"), microseconds(20));
  EXPECT_EQ(FromTimeout("1500m"), milliseconds(1500));
  EXPECT_EQ(FromTimeout("3S"), seconds(3));
  EXPECT_EQ(FromTimeout("00000002M"), std::chrono::minutes(2));
  EXPECT_EQ(FromTimeout("99999999H"), Duration::max());
  for (const char* text : {"", "1", "m", "-1m", "1.5S", "1s", "123456789m", " 1m", "1m "}) {
    EXPECT_FALSE(FromTimeout(text)) << text;
  }
}

TEST(MetadataTest, UnknownStatusIsUnknown) {
  EXPECT_EQ(FromTrailers("0", nullptr), absl::OkStatus());
  EXPECT_EQ(FromTrailers("16", nullptr).code(), absl::StatusCode::kUnauthenticated);
  const std::string message = "50 %25";
  EXPECT_EQ(FromTrailers("8", &message), absl::ResourceExhaustedError("50 %"));
  for (const char* code : {"17", "-1", "", "x", "99999999999999"}) {
    EXPECT_EQ(FromTrailers(code, nullptr).code(), absl::StatusCode::kUnknown) << code;
  }
}

TEST(MetadataTest, HttpAndResetsAreMappedAsGrpcSays) {
  EXPECT_TRUE(absl::IsInternal(FromHttpStatus("400")));
  EXPECT_TRUE(absl::IsUnauthenticated(FromHttpStatus("401")));
  EXPECT_TRUE(absl::IsPermissionDenied(FromHttpStatus("403")));
  EXPECT_TRUE(absl::IsUnimplemented(FromHttpStatus("404")));
  for (const char* status : {"429", "502", "503", "504"}) {
    EXPECT_TRUE(absl::IsUnavailable(FromHttpStatus(status)));
  }
  EXPECT_TRUE(absl::IsUnknown(FromHttpStatus("500")));
  EXPECT_TRUE(absl::IsInternal(FromReset(NGHTTP2_NO_ERROR)));
  EXPECT_TRUE(absl::IsInternal(FromReset(NGHTTP2_FLOW_CONTROL_ERROR)));
  EXPECT_TRUE(absl::IsUnavailable(FromReset(NGHTTP2_REFUSED_STREAM)));
  EXPECT_TRUE(absl::IsCancelled(FromReset(NGHTTP2_CANCEL)));
  EXPECT_TRUE(absl::IsResourceExhausted(FromReset(NGHTTP2_ENHANCE_YOUR_CALM)));
  EXPECT_TRUE(absl::IsPermissionDenied(FromReset(NGHTTP2_INADEQUATE_SECURITY)));
}

TEST(MetadataTest, NamesOfTheProtocolAreReserved) {
  for (const char* name : {":path", "grpc-timeout", "grpc-status", "te", "content-type"}) {
    EXPECT_TRUE(IsReserved(name)) << name;
  }
  for (const char* name : {"authorization", "user-agent", "x", "grpc-status-details-bin"}) {
    EXPECT_FALSE(IsReserved(name)) << name;
  }
}

}  // namespace
}  // namespace twofold::h2
