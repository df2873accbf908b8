#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "lib/common/result.h"
#include "lib/postgres/target.h"

namespace twofold::results {

/// A SQLite file.
struct StoreFile {
  std::string path;
};

/// Where a store is.
using StoreAddress = std::variant<StoreFile, postgres::Target>;

/// What a text without a scheme is: a mistake, or the path of a SQLite file.
enum class Bare : std::uint8_t { kRefused, kPath };

/// The address that a person gave, by which `option` (for messages):
///
///   sqlite:PATH                        a SQLite file
///   postgresql://USER@HOST:PORT/NAME   a PostgreSQL database
///   file:PATH                          what stands in this file, one of the two above
///
/// Everybody on the machine can read a command line, so an address with a password has to be in a
/// file, which nobody but its owner and group may read.
/// Errors   kInvalidArgument: it is none of these; it has a password; the file cannot be read, is
///          empty, or others may read it. No message quotes an address.
Result<StoreAddress> ParseStoreAddress(const std::string& text, const std::string& option,
                                       Bare bare = Bare::kRefused);

/// What a command line says of a store: --store, or --store-file with the path of `file:PATH`.
struct StoreOptions {
  [[nodiscard]] bool is_given() const { return !store.empty() || !file.empty(); }

  std::string store = {};
  std::string file = {};
};

/// REQUIRES: is_given().
/// Errors   also kInvalidArgument: both are given.
Result<StoreAddress> ParseStoreAddress(const StoreOptions& options, Bare bare = Bare::kRefused);

/// Of who can only write files.
/// Errors   also kInvalidArgument: it is a database.
Result<std::string> ParseStoreFile(const std::string& text, const std::string& option);

/// For people: a path, or a database without user, password and settings.
const std::string& NameOf(const StoreAddress& address);

}  // namespace twofold::results
