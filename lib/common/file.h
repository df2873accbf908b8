#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/common/result.h"

namespace twofold {

enum class Readable : std::uint8_t {
  kFiles,
  kFilesAndPipes,  ///< also what a shell makes of <(command); waits for who writes it
};

/// All that is in a file, `most` bytes of it at the most. Neither folders nor devices, which may
/// have no end.
///
/// Errors   "cannot read PATH: why"; kNotFound: there is none, kInvalidArgument: it is not a file,
///          too long, or not ours to read.
Result<std::string> ReadFile(const std::string& path, std::size_t most,
                             Readable what = Readable::kFiles);

}  // namespace twofold
