#include "client/outcomes.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <climits>

#include "lib/common/printable.h"

namespace twofold::client {
namespace {

bool Parse(std::string_view bytes, v1::Report& report) {
  return bytes.size() <= INT_MAX &&
         report.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

constexpr std::string_view kBlank(" \t\r\n\0", 5);
constexpr std::size_t kMostOfOutput = 200;  // bytes

/// The last line that is not blank: where programs say what went wrong. A carriage return begins a
/// line, too, as progress bars are drawn with it.
std::string LastLine(std::string_view output) {
  output = output.substr(0, output.find_last_not_of(kBlank) + 1);
  output.remove_prefix(output.find_last_of("\r\n") + 1);  // npos + 1 is 0
  output.remove_prefix(std::min(output.find_first_not_of(kBlank), output.size()));
  return Printable(output, kMostOfOutput);
}

std::string Ending(v1::Outcome outcome, const v1::Report& report) {
  if (!report.error().empty()) return report.error();
  if (report.signal() != 0) return absl::StrCat("signal ", report.signal());
  if (report.exit_code() != 0) return absl::StrCat("exit code ", report.exit_code());
  return std::string(Name(outcome));
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
  const std::string ending = Ending(outcome, report);
  const bool ran = report.signal() != 0 || report.exit_code() != 0;
  const std::string said = ran ? LastLine(report.output()) : "";
  const bool is_new = ending.find(said) == std::string::npos;  // nothing is in every text
  return is_new ? absl::StrCat(ending, ": ", said) : ending;
}

}  // namespace twofold::client
