#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <type_traits>

#include "lib/common/result.h"

namespace twofold::results {

/// What an exception of SQLiteCpp means to the caller of a Store (see its Errors), with the path.
/// `system_errno` is SystemErrno's; 0: unknown.
Status StatusOf(const SQLite::Exception& error, int system_errno, const std::string& path);

/// The errno of the last operation that failed on the files of this connection; 0: none did.
/// Only of use right after an error.
int SystemErrno(const SQLite::Database& database);

/// Calls `body`, which returns a Status or Result and may throw what SQLiteCpp throws.
template <typename Body>
std::invoke_result_t<Body> Guarded(const SQLite::Database& database, const std::string& path,
                                   const Body& body) {
  try {
    return body();
  } catch (const SQLite::Exception& error) {
    return StatusOf(error, SystemErrno(database), path);
  }
}

}  // namespace twofold::results
