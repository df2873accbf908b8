#include <absl/strings/str_cat.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "workloads/objects/wire/dialect.h"

namespace twofold::objects {
namespace {

using Json = nlohmann::json;

class Ais : public Dialect {
 public:
  Ais(const Endpoint& endpoint, const std::string& bucket, const std::string& provider,
      std::string cksum_type)
      : objects_(absl::StrCat(endpoint.path, "/v1/objects/", bucket, "/")),
        buckets_(absl::StrCat(endpoint.path, "/v1/buckets/", bucket)),
        query_("?provider=" + provider),
        cksum_type_(std::move(cksum_type)) {}

  void Write(const Call& call, Request& request) const override {
    switch (call.verb) {
      case Verb::kList:
        return WriteAction("GET", ListAction(call), request);
      case Verb::kMakeBucket:
        return WriteAction("POST", Json{{"action", "create-bck"}}, request);
      case Verb::kHeadBucket:
        request.method = "HEAD";
        request.target = buckets_ + query_;
        return;
      default:
        return WriteObject(call, request);
    }
  }

  [[nodiscard]] Result<Page> ReadPage(std::string_view body) const override {
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object()) return absl::DataLossError("the answer is no list of a bucket");
    Page page;
    for (const Json& entry : EntriesOf(json)) {
      const std::string name = TextOf(entry, "name");
      if (name.empty()) return absl::DataLossError("the list has an entry without a name");
      page.names.push_back(name);
    }
    page.token = TextOf(json, "continuation_token");
    return page;
  }

  [[nodiscard]] std::string Cause(std::string_view /*body*/) const override { return ""; }

  [[nodiscard]] std::string Fault(Verb verb, std::string_view body) const override {
    return verb == Verb::kList ? std::string(ReadPage(body).status().message()) : "";
  }

 private:
  // An empty bucket has null.
  static Json EntriesOf(const Json& list) {
    const auto found = list.find("entries");
    return found != list.end() && found->is_array() ? *found : Json::array();
  }

  static std::string TextOf(const Json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  }

  static Json ListAction(const Call& call) {
    return {{"action", "list"},
            {"value",
             {{"props", "name"},
              {"prefix", std::string(call.name)},
              {"continuation_token", std::string(call.token)}}}};
  }

  void WriteAction(std::string_view method, const Json& action, Request& request) const {
    request.method = method;
    request.target = buckets_ + query_;
    request.headers = "Content-Type: application/json\r\n";
    request.body = action.dump();
    request.has_length = true;
    request.length = request.body.size();
  }

  void WriteObject(const Call& call, Request& request) const {
    request.method = call.verb == Verb::kPut      ? "PUT"
                     : call.verb == Verb::kHead   ? "HEAD"
                     : call.verb == Verb::kDelete ? "DELETE"
                                                  : "GET";
    request.target = objects_;
    AppendEncoded(call.name, request.target);
    request.target += query_;
    // A gateway redirects each PUT, so content is kept back until somebody wants it.
    request.ask_first = call.verb == Verb::kPut && call.size > 0;
    if (call.checksum.empty()) return;
    absl::StrAppend(&request.headers, "Ais-Checksum-Type: ", cksum_type_,
                    "\r\nAis-Checksum-Value: ", std::string(call.checksum), "\r\n");
  }

  std::string objects_;
  std::string buckets_;
  std::string query_;
  std::string cksum_type_;
};

}  // namespace

std::unique_ptr<Dialect> MakeAis(const Endpoint& endpoint, std::string bucket, std::string provider,
                                 std::string cksum_type) {
  return std::make_unique<Ais>(endpoint, bucket, provider, std::move(cksum_type));
}

}  // namespace twofold::objects
