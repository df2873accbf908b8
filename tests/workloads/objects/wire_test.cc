#include <gmock/gmock.h>

#include <array>
#include <boost/asio/buffer.hpp>

#include "workloads/objects/caller.h"
#include "workloads/objects/wire/answer.h"
#include "workloads/objects/wire/checksum.h"
#include "workloads/objects/wire/dialect.h"
#include "workloads/objects/wire/reason.h"
#include "workloads/objects/wire/signature.h"
#include "workloads/objects/wire/xml.h"

namespace twofold::objects {
namespace {

// The examples of "Signature Calculations for the Authorization Header" in Amazon's S3 reference.
constexpr char kWhen[] = "20130524T000000Z";
constexpr char kHost[] = "examplebucket.s3.amazonaws.com";

Signer ExampleSigner() {
  return {{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""}, "us-east-1"};
}

std::string SignatureOf(std::string_view method, std::string_view target,
                        std::vector<Signer::Header> headers, const std::string& sha256) {
  Signer signer = ExampleSigner();
  const std::string all = signer.Authorization(method, target, headers, sha256, kWhen);
  return all.substr(all.rfind('=') + 1);
}

TEST(Signature, OfAmazonsExampleOfAGet) {
  const std::string sha256 = Sha256Hex("");
  EXPECT_EQ(SignatureOf("GET", "/test.txt",
                        {{"host", kHost},
                         {"range", "bytes=0-9"},
                         {"x-amz-content-sha256", sha256},
                         {"x-amz-date", kWhen}},
                        sha256),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(Signature, OfAmazonsExampleOfAPut) {
  const std::string sha256 = Sha256Hex("Welcome to Amazon S3.");
  EXPECT_EQ(SignatureOf("PUT", "/test%24file.text",
                        {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                         {"host", kHost},
                         {"x-amz-content-sha256", sha256},
                         {"x-amz-date", kWhen},
                         {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                        sha256),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(Signature, OfAmazonsExamplesWithQueries) {
  const std::string sha256 = Sha256Hex("");
  const std::vector<Signer::Header> headers = {
      {"host", kHost}, {"x-amz-content-sha256", sha256}, {"x-amz-date", kWhen}};
  EXPECT_EQ(SignatureOf("GET", "/?lifecycle", headers, sha256),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(SignatureOf("GET", "/?prefix=J&max-keys=2", headers, sha256),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Signature, WithoutAKeyThereIsNone) {
  Signer signer({}, "us-east-1");
  std::string lines;
  signer.Append("GET", "/", "host", "", 0, lines);
  EXPECT_EQ(lines, "");
}

TEST(Signature, LinesHaveTheTokenAndNeverTheSecret) {
  Signer signer({"KEY", "SECRET", "TOKEN"}, "eu-1");
  std::string lines;
  signer.Append("GET", "/", "host", "", 1369353600, lines);
  EXPECT_NE(lines.find("x-amz-content-sha256: UNSIGNED-PAYLOAD\r\n"), std::string::npos);
  EXPECT_NE(lines.find("x-amz-date: 20130524T000000Z\r\n"), std::string::npos);
  EXPECT_NE(lines.find("x-amz-security-token: TOKEN\r\n"), std::string::npos);
  EXPECT_NE(lines.find("Credential=KEY/20130524/eu-1/s3/aws4_request"), std::string::npos);
  EXPECT_EQ(lines.find("SECRET"), std::string::npos);
}

Request RequestOf(const Dialect& dialect, const Call& call) {
  Request request;
  dialect.Write(call, request);
  return request;
}

Endpoint EndpointAt(const std::string& url) {
  const auto endpoint = ParseEndpoint("endpoint", url);
  EXPECT_TRUE(endpoint.ok()) << endpoint.status();
  return endpoint.value_or(Endpoint());
}

TEST(S3, WritesPathsAndQueries) {
  const Endpoint endpoint = EndpointAt("http://host:9000/s3");
  const auto s3 = MakeS3(endpoint, "b", true);
  EXPECT_EQ(RequestOf(*s3, {.name = "a b/ü+"}).target, "/s3/b/a%20b/%C3%BC%2B");
  EXPECT_EQ(
      RequestOf(*s3, {.verb = Verb::kList, .name = "a/", .token = "x="}).target,
      "/s3/b?continuation-token=x%3D&encoding-type=url&list-type=2&max-keys=1000&prefix=a%2F");
  EXPECT_EQ(RequestOf(*s3, {.verb = Verb::kList, .marker = "a b"}).target,
            "/s3/b?encoding-type=url&marker=a%20b&max-keys=1000&prefix=");
  const Request part =
      RequestOf(*s3, {.verb = Verb::kPutPart, .name = "o", .upload = "u/1", .part = 3});
  EXPECT_EQ(part.target, "/s3/b/o?partNumber=3&uploadId=u%2F1");
  EXPECT_EQ(part.method, "PUT");
  const auto host_style = MakeS3(EndpointAt("http://host"), "b", false);
  EXPECT_EQ(RequestOf(*host_style, {.verb = Verb::kHeadBucket}).target, "/");
  EXPECT_EQ(RequestOf(*host_style, {.name = "o"}).target, "/o");
}

TEST(S3, ReadsPagesAndCauses) {
  const auto s3 = MakeS3(EndpointAt("http://host"), "b", true);
  const auto page = s3->ReadPage(
      "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>true</IsTruncated>"
      "<Contents><Key>a&amp;b</Key></Contents><Contents><Key>c</Key></Contents>"
      "<NextContinuationToken>t</NextContinuationToken></ListBucketResult>");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->names, (std::vector<std::string>{"a&b", "c"}));
  EXPECT_EQ(page->token, "t");
  EXPECT_EQ(page->marker, "");
  EXPECT_FALSE(s3->ReadPage("<html>no</html>").ok());
  EXPECT_EQ(s3->Cause("<Error><Code>SlowDown</Code></Error>"), "SlowDown");
  EXPECT_EQ(s3->Cause("<Error><Code>Slow"), "");
  EXPECT_EQ(UploadIn("<R><UploadId>42</UploadId></R>"), "42");
}

TEST(Ais, WritesObjectsAndActions) {
  const auto ais = MakeAis(EndpointAt("http://gw:51080"), "b", "ais", "xxhash");
  const Request put =
      RequestOf(*ais, {.verb = Verb::kPut, .name = "d/o", .size = 5, .checksum = "00ff"});
  EXPECT_EQ(put.target, "/v1/objects/b/d/o?provider=ais");
  EXPECT_EQ(put.headers, "Ais-Checksum-Type: xxhash\r\nAis-Checksum-Value: 00ff\r\n");
  EXPECT_TRUE(put.ask_first);
  const Request list = RequestOf(*ais, {.verb = Verb::kList, .name = "p"});
  EXPECT_EQ(list.target, "/v1/buckets/b?provider=ais");
  EXPECT_NE(list.body.find(R"("action":"list")"), std::string::npos);
  const auto page = ais->ReadPage(R"({"entries":[{"name":"x"}],"continuation_token":"x"})");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->names, std::vector<std::string>{"x"});
  EXPECT_EQ(page->token, "x");
  EXPECT_TRUE(ais->ReadPage(R"({"entries":null})")->names.empty());
  EXPECT_FALSE(ais->ReadPage(R"({"entries":[{"size":"1"}]})").ok());
  EXPECT_FALSE(ais->ReadPage("<html>").ok());
}

TEST(Plain, ReadsListsOfWebDav) {
  const auto plain = MakePlain(EndpointAt("http://host/dav"), "b");
  const auto page = plain->ReadPage(
      "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/b/</D:href></D:response>"
      "<D:response><D:href>/dav/b/sub/</D:href></D:response>"
      "<D:response><D:href>http://host/dav/b/a%20b</D:href></D:response></D:multistatus>");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->names, std::vector<std::string>{"a b"});
  EXPECT_EQ(page->folders, std::vector<std::string>{"sub/"});
}

TEST(Plain, AListThatIsCutOrHasAMemberThatFailedIsRefused) {
  const auto plain = MakePlain(EndpointAt("http://host/dav"), "a b");
  EXPECT_EQ(RequestOf(*plain, {.name = "o"}).target, "/dav/a%20b/o");
  const auto page = plain->ReadPage(
      "<multistatus><response><href>/dav/a%20b/one%26two</href></response><response>"
      "<href>/dav/a%20b/sub</href><propstat><prop><resourcetype><collection/></resourcetype></prop>"
      "</propstat></response></multistatus>");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->names, std::vector<std::string>{"one&two"});
  EXPECT_EQ(page->folders, std::vector<std::string>{"sub/"});
  EXPECT_FALSE(plain->ReadPage("<multistatus><response><href>/dav/a%20b/x</href>").ok());
  const auto limited = plain->ReadPage(
      "<multistatus><response><href>/dav/a%20b/</href>"
      "<status>HTTP/1.1 507 Insufficient Storage</status></response></multistatus>");
  EXPECT_EQ(limited.status().message(),
            "the list is not whole: HTTP/1.1 507 Insufficient Storage of /dav/a%20b/");
}

TEST(Xml, HasAllEntitiesNumericOnesTooAndNothingIsGuessed) {
  const auto xml = ParseXml(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?><!-- > --><a x='>'><b>&amp;&lt;&gt;&quot;&apos;</b>"
      "<b>&#39;&#x9;&#xe9;&#8364;&#x1F600;&#1;</b><c><![CDATA[<&amp;>]]></c><D:d/></a>\n");
  ASSERT_TRUE(xml.ok()) << xml.status();
  EXPECT_EQ(xml->children[0].text, "&<>\"'");
  EXPECT_EQ(xml->children[1].text, "'\t\u00e9\u20ac\U0001F600\x01");
  EXPECT_EQ(xml->TextOf("c"), "<&amp;>");
  EXPECT_NE(xml->Find("d"), nullptr);
  for (const char* text : {"<a>&</a>", "<a>&nbsp;</a>", "<a>&#xD800;</a>", "<a>&#0;</a>",
                           "<a>&#x110000;</a>", "<a>&#;</a>", "<a>&amp</a>"}) {
    EXPECT_THAT(std::string(ParseXml(text).status().message()), testing::HasSubstr("no entity"))
        << text;
  }
}

TEST(Xml, WhatWasCutAnywhereIsNoWhole) {
  const std::string whole = "<?xml version='1.0'?><a><b c=\"d\">e&amp;f</b><!-- g --><h/></a>";
  ASSERT_TRUE(ParseXml(whole).ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseXml(whole.substr(0, size)).ok()) << size;
  }
  for (const char* text : {"x<a/>", "<a/><b/>", "<a></b>", "</a>", "<>", "<a><b></a></b>"}) {
    EXPECT_FALSE(ParseXml(text).ok()) << text;
  }
}

std::string ListOf(const std::string& inside) {
  return "<ListBucketResult>" + inside + "</ListBucketResult>";
}

std::string WhyNoPage(const std::string& body) {
  const auto s3 = MakeS3(EndpointAt("http://host"), "b", true);
  return std::string(s3->ReadPage(body).status().message());
}

TEST(S3, AListWithoutATokenGoesOnBehindItsLastName) {
  const auto s3 = MakeS3(EndpointAt("http://host"), "b", true);
  const std::string keys =
      "<Contents><Key>a</Key></Contents><Contents><Key>b&#39;</Key></Contents>";
  const auto page = s3->ReadPage(ListOf("<IsTruncated>true</IsTruncated>" + keys));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->token, "");
  EXPECT_EQ(page->marker, "b'");
  const auto marked =
      s3->ReadPage(ListOf("<NextMarker>c</NextMarker><IsTruncated>true</IsTruncated>" + keys));
  EXPECT_EQ(marked->marker, "c");
  const auto last = s3->ReadPage(ListOf("<IsTruncated>false</IsTruncated>" + keys));
  EXPECT_EQ(last->marker + last->token, "");
}

TEST(S3, NamesThatAreEncodedAsInUrlsAreDecoded) {
  const auto s3 = MakeS3(EndpointAt("http://host"), "b", true);
  const std::string rest =
      "<IsTruncated>false</IsTruncated><Contents><Key>a+b%2Bc%01</Key></Contents>";
  const auto encoded = s3->ReadPage(ListOf("<EncodingType>url</EncodingType>" + rest));
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(encoded->names, std::vector<std::string>{"a b+c\x01"});
  EXPECT_EQ(s3->ReadPage(ListOf(rest))->names, std::vector<std::string>{"a+b%2Bc%01"});
}

TEST(S3, AListThatIsCutOrNoneIsRefusedWithItsReason) {
  using testing::HasSubstr;
  EXPECT_THAT(WhyNoPage(ListOf("<IsTruncated>true</IsTruncated>")),
              HasSubstr("it is cut off, and does not say how it goes on"));
  EXPECT_THAT(WhyNoPage(ListOf("<Contents><Key>a</Key></Contents>")),
              HasSubstr("does not say whether it is whole"));
  EXPECT_THAT(WhyNoPage("<ListBucketResult><Contents><Key>a</Key></Contents>"),
              HasSubstr("it ends inside <ListBucketResult>"));
  EXPECT_THAT(WhyNoPage("<ListAllMyBucketsResult/>"), HasSubstr("set s3-use-path-style"));
  EXPECT_THAT(WhyNoPage("<html/>"), HasSubstr("no ListBucketResult: html"));
}

TEST(S3, ASuccessIsWhatItsContentSays) {
  const auto s3 = MakeS3(EndpointAt("http://host"), "b", true);
  const std::string error = "<Error xmlns=\"x\"><Code>InternalError</Code></Error>";
  for (const Verb verb : {Verb::kPut, Verb::kDelete, Verb::kMakeBucket, Verb::kList,
                          Verb::kStartParts, Verb::kPutPart, Verb::kFinishParts}) {
    EXPECT_EQ(s3->Fault(verb, error), "InternalError");
  }
  EXPECT_EQ(s3->Fault(Verb::kPut, ""), "");
  EXPECT_EQ(s3->Fault(Verb::kPut, "welcome"), "");
  EXPECT_EQ(s3->Fault(Verb::kFinishParts, "<CompleteMultipartUploadResult xmlns='x'/>"), "");
  EXPECT_THAT(s3->Fault(Verb::kFinishParts, ""),
              testing::HasSubstr("no CompleteMultipartUploadResult"));
  EXPECT_THAT(s3->Fault(Verb::kFinishParts, "<CompleteMultipartUploadResult>"),
              testing::HasSubstr("it ends inside"));
  EXPECT_EQ(s3->Fault(Verb::kStartParts, "<InitiateMultipartUploadResult/>"), "no UploadId");
  EXPECT_NE(s3->Fault(Verb::kList, "<html/>"), "");
}

Reason ReasonFor(const Refused& refused) { return ReasonOf(refused); }

TEST(Reason, OfAClockThatIsOffHasBothClocks) {
  constexpr std::int64_t kDate = 1445412480;  // Wed, 21 Oct 2015 07:28:00 GMT
  Refused refused{.code = 403, .date = "Wed, 21 Oct 2015 07:28:00 GMT", .now = kDate + 3600};
  EXPECT_EQ(ReasonFor(refused).kind, "wrong clock");
  EXPECT_EQ(ReasonFor(refused).text,
            "the store's clock says Wed, 21 Oct 2015 07:28:00 GMT, ours is 3600 s ahead: set the "
            "clock of this host");
  refused.now = kDate - 901;
  EXPECT_THAT(ReasonFor(refused).text, testing::HasSubstr("ours is 901 s behind"));
  refused.now = kDate + 900;
  EXPECT_EQ(ReasonFor(refused).kind, "");
  refused.cause = "RequestTimeTooSkewed";
  EXPECT_EQ(ReasonFor(refused).kind, "wrong clock");
  refused.code = 404;
  EXPECT_EQ(ReasonFor(refused).kind, "");
}

TEST(Reason, OfAWrongRegionHasBothRegions) {
  Refused refused{.code = 400, .region = "eu-west-3", .signed_for = "us-east-1"};
  EXPECT_EQ(ReasonFor(refused).kind, "wrong region");
  EXPECT_EQ(ReasonFor(refused).text,
            "the store's region is eu-west-3, and requests are signed for us-east-1: set region");
  refused.region = "us-east-1";
  EXPECT_EQ(ReasonFor(refused).kind, "");
  refused.region = "";
  refused.cause = "AuthorizationHeaderMalformed";
  EXPECT_THAT(ReasonFor(refused).text, testing::HasSubstr("another, not said which"));
  const auto s3 = MakeS3(EndpointAt("http://host"), "b", true);
  EXPECT_EQ(s3->Region("<Error><Region>eu-1</Region></Error>"), "eu-1");
  EXPECT_EQ(s3->Region("<Error><Message>the region 'us-east-1' is wrong; expecting 'eu-2'"
                       "</Message></Error>"),
            "eu-2");
  EXPECT_EQ(s3->Region("<Error/>"), "");
}

TEST(Redirect, IsFollowedToTheLetter) {
  const Endpoint from = EndpointAt("http://gw:51080");
  const auto to =
      Located("http://10.0.0.2:51081/v1/objects/b/o?provider=ais&pid=p%5B1&utm=5", from);
  ASSERT_TRUE(to.ok());
  EXPECT_EQ(to->first.server.host, "10.0.0.2");
  EXPECT_EQ(to->second, "/v1/objects/b/o?provider=ais&pid=p%5B1&utm=5");
  const auto relative = Located("/other?x", from);
  ASSERT_TRUE(relative.ok());
  EXPECT_EQ(relative->first.authority, "gw:51080");
  EXPECT_FALSE(Located("ftp://x/", from).ok());
}

TEST(Endpoint, SaysWhichUrlsAreNone) {
  EXPECT_TRUE(EndpointAt("https://[::1]:7000/a/").tls);
  EXPECT_EQ(EndpointAt("https://host").server.port, 443);
  for (const char* url : {"", "host", "ftp://h", "http://", "http://h:0", "http://h:99999",
                          "http://h?x", "http://a@h", "http://h /"}) {
    EXPECT_FALSE(ParseEndpoint("endpoint", url).ok()) << url;
  }
}

/// Feeds an answer in pieces of `piece` bytes; returns whether all was well.
bool Feed(Answer& answer, std::string text, std::size_t piece) {
  std::string pending;
  boost::beast::error_code error;
  for (std::size_t at = 0; at < text.size() && !answer.is_done(); at += piece) {
    pending += text.substr(at, piece);
    while (!pending.empty() && !answer.is_done()) {
      const std::size_t used = answer.put(boost::asio::buffer(pending), error);
      pending.erase(0, used);
      if (error == boost::beast::http::error::need_more) break;
      if (error) return false;
    }
  }
  return answer.is_done();
}

struct Kept : Sink {
  void Take(std::string_view bytes) override { text += bytes; }
  std::string text;
};

TEST(Answer, IsTheSameWhateverPiecesItComesIn) {
  const std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"e\"\r\n"
      "ais-checksum-type: xxhash\r\nAis-Checksum-Value: 12\r\n\r\n"
      "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    Kept kept;
    Answer answer(&kept, 5, false);
    ASSERT_TRUE(Feed(answer, text, piece)) << piece;
    EXPECT_EQ(kept.text, "hello world");
    EXPECT_EQ(answer.body(), "hello");
    EXPECT_EQ(answer.received(), 11U);
    EXPECT_TRUE(answer.is_cut());
    EXPECT_EQ(answer.etag(), "\"e\"");
    EXPECT_EQ(answer.cksum_type(), "xxhash");
    EXPECT_EQ(answer.cksum_value(), "12");
    EXPECT_TRUE(answer.keep_alive());
  }
}

TEST(Answer, BlanksBeforeTheEndOfAnUploadAreNotKept) {
  const std::string blanks(70 << 10, ' ');
  Answer answer(nullptr, 100, false);
  answer.SkipBlanks();
  ASSERT_TRUE(Feed(answer,
                   "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 71692\r\n"
                   "Date: Wed, 21 Oct 2015 07:28:00 GMT\r\nx-amz-bucket-region: eu-1\r\n\r\n" +
                       blanks + "<a> b</a>\r\n\n",
                   4096));
  EXPECT_EQ(answer.body(), "<a> b</a>\r");
  EXPECT_FALSE(answer.is_cut());
  EXPECT_EQ(answer.date(), "Wed, 21 Oct 2015 07:28:00 GMT");
  EXPECT_EQ(answer.region(), "eu-1");
}

TEST(Answer, OfAHeadHasNoContentAndOneThatFailedIsKept) {
  Answer head(nullptr, 0, true);
  EXPECT_TRUE(Feed(head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 7));
  Kept kept;
  Answer failed(&kept, 0, false);
  EXPECT_TRUE(Feed(failed, "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy", 7));
  EXPECT_EQ(failed.body(), "busy");
  EXPECT_EQ(kept.text, "");
  Answer garbage(nullptr, 0, false);
  EXPECT_FALSE(Feed(garbage, "SSH-2.0-OpenSSH\r\n\r\n", 100));
}

TEST(Checksum, HasTheValuesThatOthersWrite) {
  struct Known {
    const char* type;
    const char* hex;
  };
  // Of "abc", by xxhsum, md5sum, sha512sum and openssl.
  for (const Known& known :
       {Known{"xxhash", "44bc2cf5ad770999"}, Known{"md5", "900150983cd24fb0d6963f7d28e17f72"},
        Known{"crc32c", "364b3fb7"},
        Known{"sha256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
        Known{"SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}}) {
    const auto checksum = MakeChecksum(known.type);
    ASSERT_NE(checksum, nullptr);
    checksum->Add("a");
    checksum->Add("bc");
    EXPECT_EQ(checksum->Hex(), known.hex) << known.type;
  }
  EXPECT_EQ(MakeChecksum("none"), nullptr);
}

TEST(Profiles, ValuesAreFoundInTheirSection) {
  constexpr char kText[] =
      "[default]\naws_access_key_id = A\n\n[ other ]\naws_access_key_id=B\n# c\nregion = eu\n";
  EXPECT_EQ(ProfileValue(kText, "default", "aws_access_key_id"), "A");
  EXPECT_EQ(ProfileValue(kText, "other", "aws_access_key_id"), "B");
  EXPECT_EQ(ProfileValue(kText, "default", "region"), "");
}

}  // namespace
}  // namespace twofold::objects
