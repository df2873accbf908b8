#include "client/outcome_text.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <climits>

namespace twofold::client {
namespace {

bool Parse(std::string_view bytes, v1::Report& report) {
  return bytes.size() <= INT_MAX &&
         report.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

std::string_view Name(v1::Outcome outcome) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "unspecified", "succeeded", "failed",   "timed_out",
      "cancelled",   "lost",      "rejected", "abandoned",
  };
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string ErrorText(v1::Outcome outcome, std::string_view bytes) {
  v1::Report report;
  if (!Parse(bytes, report)) return "the report of the job cannot be read";
  if (!report.error().empty()) return report.error();
  if (report.signal() != 0) return absl::StrCat("signal ", report.signal());
  if (report.exit_code() != 0) return absl::StrCat("exit code ", report.exit_code());
  return std::string(Name(outcome));
}

}  // namespace twofold::client
