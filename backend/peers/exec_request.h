#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "twofold/v1/peers.pb.h"

/// What a caller of Exec may ask for, and what it means. Pure, but for looking at files.
namespace twofold::backend {

/// What a peer may make us start. Linux itself takes no argument above 128 KiB.
inline constexpr int kMaxExecWords = 8192;  ///< arguments, and variables
inline constexpr std::size_t kMaxExecBytes = 512 << 10;

/// Errors   kInvalidArgument: names the field and what is allowed.
Status CheckStart(const v1::ExecStart& start);

/// The path of the program `name`: itself if it is absolute, else as found in the folders of
/// `path`.
///
/// Errors   kNotFound: it is in none. kInvalidArgument: a relative path.
Result<std::string> FindOnPath(const std::string& name, const std::string& path);

}  // namespace twofold::backend
