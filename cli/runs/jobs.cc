#include "cli/runs/jobs.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>

#include "lib/spec/schema.h"

namespace twofold::run {
namespace {

constexpr std::size_t kLongestId = 100;

// Digits only: SimpleAtoi also takes blanks and signs.
template <typename Number>
bool ReadNumber(const std::string& text, Number& number) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &number) && number > 0;
}

}  // namespace

std::string KeyText(std::string_view run, const JobKey& key) {
  return absl::StrCat(std::string(run), "/", key.permutation, "/", key.warm_up ? "w" : "",
                      key.repetition);
}

std::optional<JobKey> ParseKey(std::string_view run, std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), '/');
  if (parts.size() != 3 || parts[0] != run) return std::nullopt;
  JobKey key;
  key.warm_up = parts[2].starts_with('w');
  const bool read = ReadNumber(parts[1], key.permutation) &&
                    ReadNumber(parts[2].substr(key.warm_up ? 1 : 0), key.repetition);
  return read ? std::optional(key) : std::nullopt;
}

Status CheckRunId(std::string_view id) {
  const bool plain = id.find_first_not_of(spec::kNameCharacters) == std::string_view::npos;
  if (plain && !id.empty() && id.size() <= kLongestId && id[0] != '.') return absl::OkStatus();
  return absl::InvalidArgumentError(
      "run id: must be 1 to 100 letters, digits, '-', '_' and '.', and begin with no '.'");
}

}  // namespace twofold::run
