#include "workloads/objects/store.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lib/suite/text.h"

namespace twofold::objects {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t kMostOfFile = 1 << 20;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? "" : value;
}

// Empty if there is no such file.
std::string FileText(const std::string& path) {
  std::ifstream file(path);
  std::string text(kMostOfFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::string FirstOf(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return "";
}

Result<Credentials> KeysOf(const Spec& spec, const std::string& profile) {
  if (spec.s3profile().empty() && !Variable("AWS_ACCESS_KEY_ID").empty()) {
    return Credentials{Variable("AWS_ACCESS_KEY_ID"), Variable("AWS_SECRET_ACCESS_KEY"),
                       Variable("AWS_SESSION_TOKEN")};
  }
  const std::string path =
      FirstOf({Variable("AWS_SHARED_CREDENTIALS_FILE"), Variable("HOME") + "/.aws/credentials"});
  const std::string text = FileText(path);
  Credentials keys{ProfileValue(text, profile, "aws_access_key_id"),
                   ProfileValue(text, profile, "aws_secret_access_key"),
                   ProfileValue(text, profile, "aws_session_token")};
  if (keys.access_key.empty() && !spec.s3profile().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("s3profile: ", path, " has no aws_access_key_id for '", profile, "'"));
  }
  return keys;
}

std::string RegionOf(const Spec& spec, const std::string& profile) {
  const std::string path =
      FirstOf({Variable("AWS_CONFIG_FILE"), Variable("HOME") + "/.aws/config"});
  const std::string text = FileText(path);
  return FirstOf({spec.region(), ProfileValue(text, profile, "region"),
                  ProfileValue(text, "profile " + profile, "region"), Variable("AWS_REGION"),
                  Variable("AWS_DEFAULT_REGION"), "us-east-1"});
}

// A token as it stands in a file: alone, or in JSON as AIStore's own command line stores it.
Result<std::string> TokenIn(const std::string& path) {
  std::string token = FileText(path);
  while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  token = std::string(suite::Strip(token));
  if (!token.starts_with('{')) return token;
  const std::size_t at = token.find("\"token\"");
  const std::size_t open = token.find('"', token.find(':', at));
  const std::size_t close = token.find('"', open + 1);
  if (at == std::string::npos || close == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("tokenfile: no \"token\" in ", path));
  }
  return token.substr(open + 1, close - open - 1);
}

// Of the environment; a file that is not there is no token.
Result<std::string> OwnToken() {
  const std::string path = Variable("AIS_AUTHN_TOKEN_FILE");
  return path.empty() ? Variable("AIS_AUTHN_TOKEN") : TokenIn(path);
}

// Who writes specs shall not have the token of the worker sent to a server of theirs.
Status CheckTokenMayGoTo(const Endpoint& endpoint) {
  const auto own = ParseEndpoint("AIS_ENDPOINT", Variable("AIS_ENDPOINT"));
  if (own.ok() && own->server == endpoint.server && own->tls == endpoint.tls) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "endpoint: the token of the environment is for AIS_ENDPOINT alone, which is not ",
      endpoint.tls ? "https://" : "http://", endpoint.authority));
}

Result<std::string> TokenOf(const Spec& spec, const Endpoint& endpoint) {
  const bool of_spec = !spec.tokenfile().empty();
  Result<std::string> token = of_spec ? TokenIn(spec.tokenfile()) : OwnToken();
  if (!token.ok()) return token;
  if (of_spec && token->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tokenfile: there is no token in ", spec.tokenfile()));
  }
  if (token->empty()) return token;
  if (!of_spec) {
    if (Status status = CheckTokenMayGoTo(endpoint); !status.ok()) return status;
  }
  return "Bearer " + *token;
}

// Whether the bucket's name can stand in front of the host's.
Status CheckHostStyle(const Endpoint& endpoint, const std::string& bucket, bool skip_verify) {
  boost::system::error_code no_address;
  boost::asio::ip::make_address(endpoint.server.host, no_address);
  const std::string style = absl::StrCat(
      "s3-use-path-style: not given, so the bucket goes in front "
      "of the host, ",
      bucket, ".", endpoint.server.host);
  if (!no_address) {
    return absl::InvalidArgumentError(style + ", but the host is an address: set it");
  }
  if (endpoint.tls && !skip_verify && bucket.find('.') != std::string::npos) {
    return absl::InvalidArgumentError(
        style + ", but no certificate of the host covers a bucket with a dot: set it");
  }
  return absl::OkStatus();
}

Result<Endpoint> EndpointOf(const Spec& spec, const std::string& bucket) {
  const std::string s3 = FirstOf({spec.s3endpoint(), Variable("S3_ENDPOINT")});
  const std::string ais = FirstOf({spec.has_ip() ? "" : Variable("AIS_ENDPOINT"),
                                   absl::StrCat("http://", spec.ip(), ":", spec.port())});
  const bool is_s3 = spec.protocol() == "s3";
  const std::string url = FirstOf({spec.endpoint(), is_s3 && !s3.empty() ? s3 : ais});
  auto endpoint = ParseEndpoint(spec.endpoint().empty() && is_s3 ? "s3endpoint" : "endpoint", url);
  if (endpoint.ok() && is_s3 && !spec.s3_use_path_style()) {
    if (Status status = CheckHostStyle(*endpoint, bucket, spec.skipverify()); !status.ok()) {
      return status;
    }
    endpoint->authority = absl::StrCat(bucket, ".", endpoint->authority);
    endpoint->server.host = absl::StrCat(bucket, ".", endpoint->server.host);
  }
  return endpoint;
}

Result<std::vector<tcp::endpoint>> AddressesOf(const HostPort& server, bool bucket_in_host) {
  boost::asio::io_context io;
  tcp::resolver resolver(io);
  boost::system::error_code error;
  const auto found = resolver.resolve(server.host, std::to_string(server.port), error);
  if (error) {
    return absl::UnavailableError(absl::StrCat(
        "endpoint: ", server.host, ": ", error.message(),
        bucket_in_host
            ? "; the bucket is in front of the host: if the store has it in the path, set "
              "s3-use-path-style"
            : ""));
  }
  std::vector<tcp::endpoint> addresses;
  for (const auto& entry : found) addresses.push_back(entry.endpoint());
  return addresses;
}

Result<std::shared_ptr<boost::asio::ssl::context>> TlsOf(const Spec& spec) {
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  boost::system::error_code error;
  context->set_verify_mode(spec.skipverify() ? ssl::verify_none : ssl::verify_peer);
  if (spec.cafile().empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(spec.cafile(), error);
  }
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("cafile: ", spec.cafile(), ": ", error.message()));
  }
  return context;
}

std::unique_ptr<Dialect> DialectOf(const Spec& spec, const Endpoint& endpoint,
                                   const std::string& bucket) {
  if (spec.protocol() == "s3") return MakeS3(endpoint, bucket, spec.s3_use_path_style());
  if (spec.protocol() == "http") return MakePlain(endpoint, bucket);
  return MakeAis(endpoint, bucket, spec.provider(), spec.cksum_type());
}

}  // namespace

std::string ProfileValue(std::string_view text, std::string_view section, std::string_view key) {
  std::string_view here;
  for (std::string_view line : suite::Lines(text)) {
    line = suite::Strip(line);
    if (line.starts_with('[') && line.ends_with(']')) {
      here = suite::Strip(line.substr(1, line.size() - 2));
    }
    const std::size_t equals = line.find('=');
    if (here != section || equals == std::string_view::npos) continue;
    if (suite::Strip(line.substr(0, equals)) == key) {
      return std::string(suite::Strip(line.substr(equals + 1)));
    }
  }
  return "";
}

Result<Store> OpenStore(const Spec& spec) {
  Store store;
  const std::string& bucket = spec.bucket();
  store.bucket_in_host = spec.protocol() == "s3" && !spec.s3_use_path_style();
  auto endpoint = EndpointOf(spec, bucket);
  if (!endpoint.ok()) return endpoint.status();
  store.endpoint = *std::move(endpoint);
  auto addresses = AddressesOf(store.endpoint.server, store.bucket_in_host);
  if (!addresses.ok()) return addresses.status();
  store.addresses = *std::move(addresses);
  if (store.endpoint.tls) {  // to read the system's CAs takes longer than a thousand requests
    auto tls = TlsOf(spec);
    if (!tls.ok()) return tls.status();
    store.tls = *std::move(tls);
  }
  store.dialect = DialectOf(spec, store.endpoint, bucket);
  if (spec.protocol() == "s3") {
    const std::string profile = FirstOf({spec.s3profile(), Variable("AWS_PROFILE"), "default"});
    auto keys = KeysOf(spec, profile);
    if (!keys.ok()) return keys.status();
    store.credentials = *std::move(keys);
    store.region = RegionOf(spec, profile);
  } else if (spec.protocol() == "ais") {
    auto token = TokenOf(spec, store.endpoint);
    if (!token.ok()) return token.status();
    store.authorization = *std::move(token);
  }
  return store;
}

}  // namespace twofold::objects
