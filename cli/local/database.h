#pragma once

#include <sys/types.h>

#include <string>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// A PostgreSQL server of a local cluster's own, which its frontends share. Its data begin and end
/// with the cluster.
///
/// It listens on a Unix socket beside its data, in a folder that its user alone can enter, so it
/// asks for no password. PostgreSQL refuses root: then it runs as the user postgres, in a folder
/// of that user's in the system's place for what is large and temporary.
///
/// Source   PostgreSQL 15, "Creating a Database Cluster"; pg_ctl.c for the PID file.
namespace twofold::local {

/// Makes the data (initdb), and plans the server. The address is that of the database postgres.
///
/// Errors   kInvalidArgument: PostgreSQL is not installed, or the folder's path is too long for a
///          socket. kInternal: initdb failed, with what it said, or took too long.
/// Cost     One to three seconds, 40 MiB on disk.
Result<DeploymentSpec> MakeDatabase(const StateFolder& folder);

/// Whether the socket of a server fits into this folder: paths of sockets are short.
///
/// Errors   kInvalidArgument: it does not; how long the path may be.
Status CheckSocketFolder(const std::string& folder);

/// Whether the server that writes this PID file takes connections, and is the process `pid`: one
/// that was killed leaves its file.
bool DatabaseServes(const std::string& pid_file, pid_t pid);

}  // namespace twofold::local
