#include "lib/h2/metadata.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace twofold::h2 {
namespace {

constexpr std::string_view kReserved[] = {"te", "content-type", "host", "connection"};

struct Unit {
  char letter;
  Duration length;
};
constexpr Unit kUnits[] = {{'n', std::chrono::nanoseconds(1)},  {'u', std::chrono::microseconds(1)},
                           {'m', std::chrono::milliseconds(1)}, {'S', std::chrono::seconds(1)},
                           {'M', std::chrono::minutes(1)},      {'H', std::chrono::hours(1)}};
constexpr Duration::rep kMostDigits = 99'999'999;

struct HttpRow {
  std::string_view status;
  absl::StatusCode code;
};
constexpr HttpRow kHttpRows[] = {
    {"400", absl::StatusCode::kInternal},         {"401", absl::StatusCode::kUnauthenticated},
    {"403", absl::StatusCode::kPermissionDenied}, {"404", absl::StatusCode::kUnimplemented},
    {"429", absl::StatusCode::kUnavailable},      {"502", absl::StatusCode::kUnavailable},
    {"503", absl::StatusCode::kUnavailable},      {"504", absl::StatusCode::kUnavailable}};

struct ResetRow {
  std::uint32_t reset;
  absl::StatusCode code;
};
constexpr ResetRow kResetRows[] = {
    {NGHTTP2_REFUSED_STREAM, absl::StatusCode::kUnavailable},
    {NGHTTP2_CANCEL, absl::StatusCode::kCancelled},
    {NGHTTP2_ENHANCE_YOUR_CALM, absl::StatusCode::kResourceExhausted},
    {NGHTTP2_INADEQUATE_SECURITY, absl::StatusCode::kPermissionDenied}};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

const std::string* Find(const Metadata& metadata, std::string_view name) {
  const auto found = std::find_if(metadata.begin(), metadata.end(),
                                  [name](const auto& entry) { return entry.first == name; });
  return found == metadata.end() ? nullptr : &found->second;
}

bool IsReserved(std::string_view name) {
  // A status' details are the only name of gRPC's own whose meaning is the service's.
  if (name == kStatusDetails) return false;
  return name.starts_with(':') || name.starts_with("grpc-") ||
         std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

bool IsBinary(std::string_view name) { return name.ends_with("-bin"); }

std::string ToBase64(std::string_view bytes) {
  std::string text = absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes)) return {};
  return bytes;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      encoded += c;
    } else {
      const auto byte = static_cast<std::uint8_t>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low < 0) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::string ToTimeout(Duration timeout) {
  const Duration::rep wanted = std::max<Duration::rep>(timeout.count(), 0);
  for (const Unit& unit : kUnits) {
    const Duration::rep length = unit.length.count();
    const Duration::rep count = wanted / length + (wanted % length != 0 ? 1 : 0);
    if (count <= kMostDigits) return absl::StrCat(count) + unit.letter;
  }
  return absl::StrCat(kMostDigits) + "H";
}

std::optional<Duration> FromTimeout(std::string_view text) {
  if (text.size() < 2 || text.size() > 9) return {};
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [text](const Unit& one) { return one.letter == text.back(); });
  const std::string_view digits = text.substr(0, text.size() - 1);
  const bool is_number =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (unit == std::end(kUnits) || !is_number) return {};
  Duration::rep count = 0;
  for (const char c : digits) count = count * 10 + (c - '0');
  const Duration::rep most = Duration::max().count() / unit->length.count();
  return count > most ? Duration::max() : count * unit->length;
}

Status FromTrailers(std::string_view code, const std::string* message) {
  int number = 0;
  const bool is_known = absl::SimpleAtoi(absl::string_view(code.data(), code.size()), &number) &&
                        number >= 0 && number <= 16;
  return {is_known ? static_cast<absl::StatusCode>(number) : absl::StatusCode::kUnknown,
          message == nullptr ? std::string() : PercentDecode(*message)};
}

Status FromHttpStatus(std::string_view status) {
  const auto row = std::find_if(std::begin(kHttpRows), std::end(kHttpRows),
                                [status](const HttpRow& one) { return one.status == status; });
  return {row == std::end(kHttpRows) ? absl::StatusCode::kUnknown : row->code,
          "the peer answered with HTTP status " + std::string(status)};
}

Status FromReset(std::uint32_t code) {
  const auto row = std::find_if(std::begin(kResetRows), std::end(kResetRows),
                                [code](const ResetRow& one) { return one.reset == code; });
  return {row == std::end(kResetRows) ? absl::StatusCode::kInternal : row->code,
          std::string("the peer reset the call: ") + nghttp2_http2_strerror(code)};
}

}  // namespace twofold::h2
