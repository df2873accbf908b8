#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::frontend {

/// The store's address: --store, or what the file of --store-file has. Empty: there is none.
///
/// Everybody on the machine can read a command line, so a password has to be in the file, which
/// nobody but its owner and group may read.
/// Errors   kInvalidArgument: both are given; --store has a password; the file cannot be read, is
///          empty, or others may read it. No message quotes an address.
Result<std::string> StoreAddress(const std::string& store, const std::string& store_file);

}  // namespace twofold::frontend
