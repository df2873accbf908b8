#pragma once

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace twofold::cli {

/// Output of the members of a gang as whole lines, each with the rank of who printed it: "[2]
/// text".
///
/// Cost     Linear in the bytes; a line that has no end yet waits here.
class MemberLines {
 public:
  /// The lines that `bytes` of this member complete.
  std::string Add(std::uint32_t rank, std::string_view bytes) {
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

  /// What never got its line break, by rank.
  std::string Rest() {
    std::string rest;
    for (const auto& [rank, line] : begun_) {
      if (!line.empty()) absl::StrAppend(&rest, "[", rank, "] ", line, "\n");
    }
    begun_.clear();
    return rest;
  }

 private:
  std::map<std::uint32_t, std::string> begun_;
};

}  // namespace twofold::cli
