#pragma once

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
  std::string Add(std::uint32_t rank, std::string_view bytes);

  /// What never got its line break, by rank.
  std::string Rest();

 private:
  std::map<std::uint32_t, std::string> begun_;
};

}  // namespace twofold::cli
