#include <absl/strings/str_cat.h>

#include <utility>

#include "workloads/objects/wire/dialect.h"
#include "workloads/objects/wire/xml.h"

namespace twofold::objects {
namespace {

std::string_view MethodOf(Verb verb) {
  switch (verb) {
    case Verb::kPut:
      return "PUT";
    case Verb::kHead:
    case Verb::kHeadBucket:
      return "HEAD";
    case Verb::kDelete:
      return "DELETE";
    case Verb::kList:
      return "PROPFIND";
    case Verb::kMakeBucket:
      return "MKCOL";
    default:
      return "GET";
  }
}

class Plain : public Dialect {
 public:
  explicit Plain(std::string root) : root_(std::move(root)) {}

  void Write(const Call& call, Request& request) const override {
    request.method = MethodOf(call.verb);
    request.target = root_;
    AppendEncoded(call.name, request.target);
    if (call.verb != Verb::kList) return;
    if (!request.target.ends_with('/')) request.target += '/';
    request.headers = "Depth: 1\r\n";
  }

  [[nodiscard]] Result<Page> ReadPage(std::string_view body) const override {
    const auto list = ParseXml(body);
    if (!list.ok() || list->name != "multistatus") {
      return absl::DataLossError(absl::StrCat(
          "the answer is no WebDAV list: ",
          list.ok() ? "does the server have PROPFIND?" : std::string(list.status().message())));
    }
    Page page;
    for (const Element& response : list->children) {
      if (response.name != "response") continue;
      if (Status status = AddMember(response, page); !status.ok()) return status;
    }
    return page;
  }

  [[nodiscard]] bool has_buckets() const override { return false; }

  [[nodiscard]] std::string Cause(std::string_view /*body*/) const override { return ""; }

  [[nodiscard]] std::string Fault(Verb verb, std::string_view body) const override {
    return verb == Verb::kList ? std::string(ReadPage(body).status().message()) : "";
  }

 private:
  // A member that could not be read has a status of its own; so has a list that is cut (RFC 4918,
  // 507).
  Status AddMember(const Element& response, Page& page) const {
    const std::string href = response.TextOf("href");
    const std::string status = response.TextOf("status");
    if (!status.empty() && status.find(" 2") == std::string::npos) {
      return absl::DataLossError(absl::StrCat("the list is not whole: ", status, " of ", href));
    }
    std::string path = Decoded(PathOf(href));
    const std::string root = Decoded(root_);
    const bool is_folder = path.ends_with('/') || response.Contains("collection");
    if (is_folder && !path.ends_with('/')) path += '/';
    if (!path.starts_with(root) || path.size() == root.size()) return absl::OkStatus();
    (is_folder ? page.folders : page.names).push_back(path.substr(root.size()));
    return absl::OkStatus();
  }

  // Some servers write whole URLs.
  static std::string_view PathOf(std::string_view href) {
    const std::size_t scheme = href.find("://");
    if (scheme == std::string_view::npos) return href;
    const std::size_t slash = href.find('/', scheme + 3);
    return slash == std::string_view::npos ? "/" : href.substr(slash);
  }

  std::string root_;
};

}  // namespace

std::unique_ptr<Dialect> MakePlain(const Endpoint& endpoint, std::string bucket) {
  std::string root = endpoint.path + "/";
  AppendEncoded(bucket, root);
  return std::make_unique<Plain>(root + "/");
}

}  // namespace twofold::objects
