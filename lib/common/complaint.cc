#include "lib/common/complaint.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include "lib/common/options.h"
#include "lib/common/printable.h"

namespace twofold {
namespace {

// Printable text has no control characters, so these two are all that JSON escapes.
std::string JsonText(std::string_view text) {
  const std::string plain = Printable(text, text.size());
  return "\"" + absl::StrReplaceAll(plain, {{"\\", "\\\\"}, {"\"", "\\\""}}) + "\"";
}

}  // namespace

std::string Complaint(std::string_view program, const Status& status, ComplaintForm form) {
  const std::string message(status.message());
  if (form == ComplaintForm::kLine) return absl::StrCat(std::string(program), ": ", message, "\n");
  return absl::StrCat("{\"error\": {\"code\": \"", absl::StatusCodeToString(status.code()),
                      "\", \"message\": ", JsonText(message), "}}\n");
}

ComplaintForm ComplaintFormOf(int argc, const char* const* argv) {
  constexpr std::string_view kOutput = "--output";
  bool is_value = false;
  for (const std::string& word : NormaliseArguments(argc, argv)) {
    if (word == "--") break;
    if ((is_value && word == "json") || word == absl::StrCat(std::string(kOutput), "=json")) {
      return ComplaintForm::kJson;
    }
    is_value = word == kOutput;
  }
  return ComplaintForm::kLine;
}

}  // namespace twofold
