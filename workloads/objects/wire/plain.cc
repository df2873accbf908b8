#include <absl/strings/str_cat.h>

#include <utility>

#include "workloads/objects/wire/dialect.h"

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
    if (body.find("multistatus") == std::string_view::npos) {
      return absl::DataLossError("the answer is no WebDAV list: does the server have PROPFIND?");
    }
    Page page;
    std::size_t at = 0;
    while (const auto href = NextElement(body, "href", at)) {
      const std::string path = Decoded(PathOf(*href));
      const std::string root = Decoded(root_);
      if (!path.starts_with(root) || path.size() == root.size()) continue;
      (path.ends_with('/') ? page.folders : page.names).push_back(path.substr(root.size()));
    }
    return page;
  }

  [[nodiscard]] bool has_buckets() const override { return false; }

  [[nodiscard]] std::string Cause(std::string_view /*body*/) const override { return ""; }

 private:
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
  return std::make_unique<Plain>(absl::StrCat(endpoint.path, "/", bucket, "/"));
}

}  // namespace twofold::objects
