#pragma once

#include <pwd.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/googletest.h"

/// What servers of tests need that run as PostgreSQL wants it.
namespace twofold::testing {

inline constexpr const char* kPostgresPrograms = "/usr/lib/postgresql/15/bin/";

/// Who runs the servers: PostgreSQL refuses root. Of the package, else whom every system has; null:
/// who runs the test.
const passwd* PostgresUser();

/// A new folder that belongs to that user, in memory if possible.
std::string MakePostgresFolder();

/// The processes whose parent is this one.
std::vector<pid_t> ChildrenOf(pid_t parent);

}  // namespace twofold::testing
