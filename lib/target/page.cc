#include "lib/target/page.h"

#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <chrono>
#include <cstddef>
#include <utility>

#include "lib/common/printable.h"
#include "lib/http/client.h"

namespace twofold::targets {
namespace {

constexpr Duration kAnswerWithin = std::chrono::seconds(10);
constexpr std::size_t kMostOfRefusal = 300;

}  // namespace

Result<std::string> Fetch(const Page& page, const std::string& target) {
  auto response = http::Get(page.url + target, kAnswerWithin, page.security);
  if (!response.ok()) return response.status();
  if (response->status >= 200 && response->status < 300) return std::move(response->body);
  return absl::UnavailableError(Printable(response->body, kMostOfRefusal));
}

std::vector<std::string> LastLines(std::string_view text, std::size_t most) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string> lines = absl::StrSplit(std::string(text), '\n', absl::AllowEmpty());
  if (lines.size() > most)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  return lines;
}

}  // namespace twofold::targets
