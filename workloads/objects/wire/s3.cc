#include <absl/strings/str_cat.h>

#include <array>
#include <utility>

#include "workloads/objects/wire/dialect.h"

namespace twofold::objects {
namespace {

constexpr std::size_t kVerbs = static_cast<std::size_t>(Verb::kAbortParts) + 1;

// By Verb.
constexpr std::array<std::string_view, kVerbs> kMethods = {
    "GET", "PUT", "HEAD", "DELETE", "GET", "HEAD", "PUT", "POST", "PUT", "POST", "DELETE"};

std::string First(std::string_view xml, std::string_view tag) {
  std::size_t at = 0;
  return NextElement(xml, tag, at).value_or("");
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
    if (body.find("ListBucketResult") == std::string_view::npos) {
      return absl::DataLossError("the answer is no list of a bucket");
    }
    Page page;
    std::size_t at = 0;
    while (auto name = NextElement(body, "Key", at)) page.names.push_back(*std::move(name));
    if (First(body, "IsTruncated") == "true") page.next = First(body, "NextContinuationToken");
    return page;
  }

  [[nodiscard]] std::string Cause(std::string_view body) const override {
    return First(body, "Code");
  }

  [[nodiscard]] bool is_signed() const override { return true; }

 private:
  // Parameters are in the order in which they are signed.
  static void AppendQuery(const Call& call, std::string& target) {
    switch (call.verb) {
      case Verb::kList:
        target += "?";
        if (!call.token.empty()) {
          target += "continuation-token=";
          AppendEncoded(call.token, target, '~');
          target += '&';
        }
        target += "list-type=2&max-keys=1000&prefix=";
        AppendEncoded(call.name, target, '~');
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

  std::string root_;  ///< in front of each name: "", "/bucket", "/folder/bucket"
};

}  // namespace

std::unique_ptr<Dialect> MakeS3(const Endpoint& endpoint, std::string bucket, bool path_style) {
  return std::make_unique<S3>(endpoint.path + (path_style ? "/" + bucket : ""));
}

std::string UploadIn(std::string_view body) { return First(body, "UploadId"); }

std::string PartsText(const std::vector<std::string>& etags) {
  std::string text = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    absl::StrAppend(&text, "<Part><PartNumber>", i + 1, "</PartNumber><ETag>", etags[i],
                    "</ETag></Part>");
  }
  return text + "</CompleteMultipartUpload>";
}

}  // namespace twofold::objects
