#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/common/printable.h"
#include "workloads/objects/wire/dialect.h"
#include "workloads/objects/wire/xml.h"

namespace twofold::objects {
namespace {

constexpr std::size_t kVerbs = static_cast<std::size_t>(Verb::kAbortParts) + 1;

// By Verb.
constexpr std::array<std::string_view, kVerbs> kMethods = {
    "GET", "PUT", "HEAD", "DELETE", "GET", "HEAD", "PUT", "POST", "PUT", "POST", "DELETE"};

// By Verb: what a success is; empty: one has no content that counts.
constexpr std::array<std::string_view, kVerbs> kResults = {"",
                                                           "",
                                                           "",
                                                           "",
                                                           "ListBucketResult",
                                                           "",
                                                           "",
                                                           "InitiateMultipartUploadResult",
                                                           "",
                                                           "CompleteMultipartUploadResult",
                                                           ""};

// A child of the one element of `body`; empty: there is none.
std::string ChildOf(std::string_view body, std::string_view child) {
  const auto xml = ParseXml(body);
  return xml.ok() ? xml->TextOf(child) : "";
}

// A name as encoding-type=url has it: as in the query of a URL, where a blank is "+".
std::string UrlDecoded(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return Decoded(text);
}

std::string NotThis(std::string_view expected, const Result<Element>& xml) {
  return absl::StrCat("no ", std::string(expected), ": ",
                      xml.ok() ? Printable(xml->name, 40) : std::string(xml.status().message()));
}

Status ReadNames(const Element& list, Page& page) {
  const bool encoded = list.TextOf("EncodingType") == "url";
  const auto name_in = [&](const Element& element, std::string_view child) {
    return encoded ? UrlDecoded(element.TextOf(child)) : element.TextOf(child);
  };
  for (const Element& child : list.children) {
    if (child.name != "Contents") continue;
    page.names.push_back(name_in(child, "Key"));
    if (page.names.back().empty()) return absl::DataLossError("an object without a name in it");
  }
  const std::string truncated = list.TextOf("IsTruncated");
  if (truncated == "false") return absl::OkStatus();
  if (truncated != "true") return absl::DataLossError("it does not say whether it is whole");
  page.token = list.TextOf("NextContinuationToken");
  if (!page.token.empty()) return absl::OkStatus();
  // Version 1 of the list goes on behind a name, by default behind the last.
  page.marker = name_in(list, "NextMarker");
  if (page.marker.empty() && !page.names.empty()) page.marker = page.names.back();
  if (!page.marker.empty()) return absl::OkStatus();
  return absl::DataLossError("it is cut off, and does not say how it goes on");
}

class S3 : public Dialect {
 public:
  explicit S3(std::string root) : root_(std::move(root)) {}

  void Write(const Call& call, Request& request) const override {
    request.method = kMethods[static_cast<std::size_t>(call.verb)];
    request.target = root_;
    if (call.verb != Verb::kList && !call.name.empty()) {
      request.target += '/';
      AppendEncoded(call.name, request.target);
    } else if (request.target.empty()) {
      request.target = "/";
    }
    AppendQuery(call, request.target);
  }

  [[nodiscard]] Result<Page> ReadPage(std::string_view body) const override {
    const auto list = ParseXml(body);
    if (list.ok() && list->name == "ListAllMyBucketsResult") {
      return absl::DataLossError(
          "the store lists its buckets, so it takes none from the name of the host: set "
          "s3-use-path-style");
    }
    if (!list.ok() || list->name != "ListBucketResult") {
      return absl::DataLossError("the answer is no list of a bucket: " +
                                 NotThis("ListBucketResult", list));
    }
    Page page;
    const Status status = ReadNames(*list, page);
    if (status.ok()) return page;
    return absl::DataLossError("the list of the bucket: " + std::string(status.message()));
  }

  [[nodiscard]] std::string Cause(std::string_view body) const override {
    return ChildOf(body, "Code");
  }

  [[nodiscard]] std::string Fault(Verb verb, std::string_view body) const override {
    const std::string_view expected = kResults[static_cast<std::size_t>(verb)];
    if (expected.empty() && body.empty()) return "";
    const auto xml = ParseXml(body);
    if (xml.ok() && xml->name == "Error") return absl::StrCat(xml->TextOf("Code"));
    if (verb == Verb::kList) return std::string(ReadPage(body).status().message());
    if (expected.empty()) return "";
    if (!xml.ok() || xml->name != expected) return NotThis(expected, xml);
    const bool is_start = verb == Verb::kStartParts;
    return is_start && xml->TextOf("UploadId").empty() ? "no UploadId" : "";
  }

  // Older stores have it in the message alone: "... the region 'a' is wrong; expecting 'b'".
  [[nodiscard]] std::string Region(std::string_view body) const override {
    const std::string region = ChildOf(body, "Region");
    if (!region.empty()) return region;
    constexpr std::string_view kExpecting = "expecting '";
    const std::string message = ChildOf(body, "Message");
    const std::size_t at = message.find(kExpecting);
    if (at == std::string::npos) return "";
    const std::string rest = message.substr(at + kExpecting.size());
    const std::string expected = rest.substr(0, rest.find('\''));
    return expected.find('/') == std::string::npos ? expected : "";
  }

  [[nodiscard]] bool is_signed() const override { return true; }

 private:
  // Parameters are in the order in which they are signed.
  static void AppendQuery(const Call& call, std::string& target) {
    switch (call.verb) {
      case Verb::kList:
        AppendList(call, target);
        break;
      case Verb::kStartParts:
        target += "?uploads=";
        break;
      case Verb::kPutPart:
        absl::StrAppend(&target, "?partNumber=", call.part, "&uploadId=");
        AppendEncoded(call.upload, target, '~');
        break;
      case Verb::kFinishParts:
      case Verb::kAbortParts:
        target += "?uploadId=";
        AppendEncoded(call.upload, target, '~');
        break;
      default:
        break;
    }
  }

  // Names may have what XML has no place for, so they are asked for as in a URL.
  static void AppendList(const Call& call, std::string& target) {
    target += "?";
    if (!call.token.empty()) {
      target += "continuation-token=";
      AppendEncoded(call.token, target, '~');
      target += '&';
    }
    target += "encoding-type=url&";
    if (call.marker.empty()) {
      target += "list-type=2";
    } else {
      target += "marker=";
      AppendEncoded(call.marker, target, '~');
    }
    target += "&max-keys=1000&prefix=";
    AppendEncoded(call.name, target, '~');
  }

  std::string root_;  ///< in front of each name: "", "/bucket", "/folder/bucket"
};

}  // namespace

std::unique_ptr<Dialect> MakeS3(const Endpoint& endpoint, std::string bucket, bool path_style) {
  return std::make_unique<S3>(endpoint.path + (path_style ? "/" + bucket : ""));
}

std::string UploadIn(std::string_view body) { return ChildOf(body, "UploadId"); }

std::string PartsText(const std::vector<std::string>& etags) {
  std::string text = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    absl::StrAppend(&text, "<Part><PartNumber>", i + 1, "</PartNumber><ETag>", etags[i],
                    "</ETag></Part>");
  }
  return text + "</CompleteMultipartUpload>";
}

}  // namespace twofold::objects
