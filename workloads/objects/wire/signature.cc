#include "workloads/objects/wire/signature.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

namespace twofold::objects {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: OpenSSL's bytes
}

std::string Text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};  // NOLINT: OpenSSL's bytes
}

std::string Hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> out;
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Bytes(text), text.size(), out.data(),
       &size);
  return Text(out.data(), out.size());
}

// Parameters by name, each with its "=".
std::string CanonicalQuery(std::string_view query) {
  if (query.empty()) return "";
  std::vector<std::string> parameters = absl::StrSplit(std::string(query), '&');
  for (std::string& parameter : parameters) {
    if (parameter.find('=') == std::string::npos) parameter += '=';
  }
  std::sort(parameters.begin(), parameters.end());
  return absl::StrJoin(parameters, "&");
}

std::string Names(std::span<const Signer::Header> headers) {
  return absl::StrJoin(headers, ";", [](std::string* out, const Signer::Header& header) {
    out->append(header.first);
  });
}

std::string CanonicalRequest(std::string_view method, std::string_view target,
                             std::span<const Signer::Header> headers, std::string_view sha256) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  std::string text = absl::StrCat(std::string(method), "\n", std::string(target.substr(0, mark)),
                                  "\n", CanonicalQuery(query), "\n");
  for (const auto& [name, value] : headers) {
    text.append(name).append(":").append(value).append("\n");
  }
  return absl::StrCat(text, "\n", Names(headers), "\n", std::string(sha256));
}

// "20130524T000000Z"
std::array<char, 17> TimeText(std::int64_t now) {
  const std::time_t time = now;
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 17> text;
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

}  // namespace

std::string Sha256Hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> out;
  SHA256(Bytes(text), text.size(), out.data());
  return absl::BytesToHexString(Text(out.data(), out.size()));
}

const std::string& Signer::KeyOf(std::string_view day) {
  if (day_ != day) {
    day_ = day;
    key_ = Hmac("AWS4" + credentials_.secret_key, day);
    for (const std::string_view part :
         {std::string_view(region_), std::string_view("s3"), std::string_view("aws4_request")}) {
      key_ = Hmac(key_, part);
    }
  }
  return key_;
}

std::string Signer::Authorization(std::string_view method, std::string_view target,
                                  std::span<const Header> headers, std::string_view sha256,
                                  std::string_view when) {
  const std::string_view day = when.substr(0, 8);
  const std::string scope = absl::StrCat(std::string(day), "/", region_, "/s3/aws4_request");
  const std::string text =
      absl::StrCat(std::string(kAlgorithm), "\n", std::string(when), "\n", scope, "\n",
                   Sha256Hex(CanonicalRequest(method, target, headers, sha256)));
  const std::string signature = absl::BytesToHexString(Hmac(KeyOf(day), text));
  return absl::StrCat(std::string(kAlgorithm), " Credential=", credentials_.access_key, "/", scope,
                      ",SignedHeaders=", Names(headers), ",Signature=", signature);
}

void Signer::Append(std::string_view method, std::string_view target, std::string_view host,
                    std::string_view sha256, std::int64_t now, std::string& out) {
  if (!has_key()) return;
  const auto time = TimeText(now);
  const std::string_view when(time.data(), time.size() - 1);
  const std::string_view covered = sha256.empty() ? kUnsignedPayload : sha256;
  std::array<Header, 4> headers = {{{"host", host},
                                    {"x-amz-content-sha256", covered},
                                    {"x-amz-date", when},
                                    {"x-amz-security-token", credentials_.session_token}}};
  const auto used = std::span(headers).first(credentials_.session_token.empty() ? 3 : 4);
  for (const auto& [name, value] : used.subspan(1)) {
    out.append(name).append(": ").append(value).append("\r\n");
  }
  out.append("Authorization: ").append(Authorization(method, target, used, covered, when));
  out.append("\r\n");
}

}  // namespace twofold::objects
