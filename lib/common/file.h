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

/// Makes `text` all that is in the file: written beside it ("PATH.part") and renamed, so a reader
/// sees it whole, and what was there before is lost only when all of it is on disk. A link stays,
/// and the file that it names is written; devices and pipes are written as they are.
///
/// Errors   kInvalidArgument: "PATH cannot be written: why".
Status WriteFile(const std::string& path, const std::string& text);

/// Whether WriteFile is likely to succeed, for what takes long to be worth a file. Leaves no trace.
///
/// Errors   those of WriteFile.
Status CheckWritable(const std::string& path);

}  // namespace twofold
