#include "cli/jobs/member_lines.h"

#include <absl/strings/str_cat.h>

namespace twofold::cli {

std::string MemberLines::Add(std::uint32_t rank, std::string_view bytes) {
  std::string& line = begun_[rank];
  std::string whole;
  for (std::size_t end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    absl::StrAppend(&whole, "[", rank, "] ", line, std::string(bytes.substr(0, end + 1)));
    line.clear();
    bytes.remove_prefix(end + 1);
  }
  line.append(bytes);
  return whole;
}

std::string MemberLines::Rest() {
  std::string rest;
  for (const auto& [rank, line] : begun_) {
    if (!line.empty()) absl::StrAppend(&rest, "[", rank, "] ", line, "\n");
  }
  begun_.clear();
  return rest;
}

}  // namespace twofold::cli
