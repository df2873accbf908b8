#pragma once

#include <cstddef>
#include <string>

#include "lib/common/result.h"
#include "twofold/v1/peers.pb.h"

/// What a peer may ask of Peers.Exec.
///
/// Threads  Safe.
namespace twofold::backend {

/// What a peer may make us start. Linux itself takes no argument above 128 KiB.
inline constexpr int kMaxExecWords = 8192;  ///< arguments, and variables
inline constexpr std::size_t kMaxExecBytes = 512 << 10;

/// Errors   kInvalidArgument: names the field and what is allowed.
Status CheckStart(const v1::ExecStart& start);

/// Of the first message, and of one after that: whether it has what belongs there.
/// Errors   kInvalidArgument: names the field.
Status CheckFirst(const v1::ExecInput& input);
Status CheckNext(const v1::ExecInput& input);

/// The path of the program `name`: itself if it is absolute, else as found in the folders of
/// `path`.
///
/// Errors   kNotFound: it is in none. kInvalidArgument: a relative path.
Result<std::string> FindOnPath(const std::string& name, const std::string& path);

}  // namespace twofold::backend
