#pragma once

#include "cli/local/cluster.h"
#include "lib/http/message.h"

namespace twofold::local {

class Supervisor;

/// The supervisor's HTTP API, for the command line and scripts:
///
///   GET  /deployments                        all of them, JSON
///   GET  /deployments/NAME                   JSON, or `key value` lines with ?type=plain
///   PUT  /deployments/NAME/scale?replicas=N  scales a backend; returns at once, with its state
///   GET  /services/NAME                      where a program serves HTTP; JSON, or the URL alone
///   POST /down                               ends all; returns at once
///
/// Every request has to show the secret of the state folder, as a bearer token (Supervisor sees to
/// that). `supervisor` must outlive the handler.
http::Handler SupervisorApi(Supervisor& supervisor);

/// The `key value` lines of a deployment.
std::string ToPlain(const DeploymentStatus& status);

/// JSON with the same keys, and its addresses and process ids.
std::string ToJson(const DeploymentStatus& status);

}  // namespace twofold::local
