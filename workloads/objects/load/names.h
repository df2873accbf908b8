#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "workloads/objects/load/load.h"

namespace twofold::objects {

/// The names of objects, by number: made by the rule of a spec, so that any number of them takes no
/// memory.
///
/// A name is [subdir/][folder/]base: the folder is the number modulo `num-subdirs` in five hex
/// digits; the base is 32 letters that follow from seed and number, or the number in hex. If
/// `loadernum` or `loaderidhashlen` is given, it is in hex with the loader's number in its last
/// digits, as aisloader has it.
///
/// Threads  Immutable.
class Names {
 public:
  explicit Names(const Spec& spec);

  /// Appends name `number` to `out`.
  void Append(std::uint64_t number, std::string& out) const;

 private:
  void AppendBase(std::uint64_t number, std::string& out) const;

  std::string prefix_;
  std::uint64_t folders_;
  std::uint64_t seed_;
  bool random_;
  std::uint64_t loaders_;
  std::uint64_t hashed_loader_ = 0;
  int loader_bits_ = 0;  ///< 0: the number alone
};

/// The names in a `filelist`: one a line, with the blanks that are in it; aisloader skips such
/// ones. Ends of lines may be those of Windows; lines of blanks alone are no names. Errors
/// kInvalidArgument: there are none.
Result<std::vector<std::string>> NamesIn(std::string_view text);

}  // namespace twofold::objects
