#include "lib/postgres/errors.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <array>
#include <vector>

namespace twofold::postgres {
namespace {

struct Meaning {
  std::string_view prefix;  // of the SQLSTATE; the first that fits counts
  absl::StatusCode code;
  const char* text;
};

constexpr auto kMeanings = std::to_array<Meaning>({
    {"53100", absl::StatusCode::kResourceExhausted, "the server's disk is full"},
    {"53", absl::StatusCode::kUnavailable, "the server is out of memory or connections"},
    {"08", absl::StatusCode::kUnavailable, "the connection failed"},
    {"57014", absl::StatusCode::kDeadlineExceeded, "the statement took too long and was ended"},
    {"57P", absl::StatusCode::kUnavailable, "the server stops or starts"},
    {"58", absl::StatusCode::kUnavailable, "input or output of the server failed"},
    {"40", absl::StatusCode::kUnavailable, "the server ended the transaction"},
    {"55P03", absl::StatusCode::kUnavailable, "somebody else holds it"},
    {"25006", absl::StatusCode::kUnavailable, "the server is read-only (a standby?)"},
    {"25P0", absl::StatusCode::kUnavailable, "the server ended the transaction"},
    {"XX001", absl::StatusCode::kDataLoss, "it is damaged"},
    {"XX002", absl::StatusCode::kDataLoss, "it is damaged"},
    {kUniqueViolation, absl::StatusCode::kAlreadyExists, "such a row is there"},
    {"28", absl::StatusCode::kPermissionDenied, "the server refuses this role"},
    {"42501", absl::StatusCode::kPermissionDenied, "the role has not the right"},
    {"3D000", absl::StatusCode::kNotFound, "there is no such database"},
    {"42P01", absl::StatusCode::kNotFound, "there is no such table"},
    {"42703", absl::StatusCode::kNotFound, "there is no such column"},
    {"", absl::StatusCode::kInternal, "the server refused a statement"},
});

}  // namespace

std::string OneLine(std::string_view text) {
  const std::vector<std::string> lines =
      absl::StrSplit(std::string(text), absl::ByAnyChar("\r\n\t"), absl::SkipWhitespace());
  return absl::StrJoin(lines, "; ");
}

Status StatusOf(std::string_view sql_state, std::string_view message, const std::string& where) {
  for (const Meaning& meaning : kMeanings) {
    if (!sql_state.starts_with(meaning.prefix)) continue;
    return {meaning.code,
            absl::StrCat(where, ": ", meaning.text, " (", OneLine(message),
                         sql_state.empty() ? "" : ", SQLSTATE ", std::string(sql_state), ")")};
  }
  return absl::InternalError(where);  // the last meaning fits all
}

}  // namespace twofold::postgres
