#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "kubernetes/api/config.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::kube {

/// What an exec plugin has printed.
struct ExecCredential {
  std::string token;  ///< empty: none
  std::string cert;   ///< PEM; empty: none
  std::string key;
  std::optional<std::chrono::system_clock::time_point> expires;
};

/// The variable KUBERNETES_EXEC_INFO for a plugin. Pure.
std::string ExecInfo(const ExecPlugin& plugin, const Cluster& cluster);

/// Reads what a plugin has printed. Pure.
/// Errors   kUnauthenticated: what is missing or wrong.
Result<ExecCredential> ParseExecCredential(const std::string& text, const ExecPlugin& plugin);

/// Runs a plugin, without a terminal; it inherits our environment.
///
/// Threads  Blocks for `timeout` at most, and not for long once `given_up` says so, which is asked
///          on this thread again and again; then the plugin and all that it has started are killed.
///          Where a process::Reaper takes all children, the plugin's exit code is not known, and
///          only what it has printed counts.
/// Errors   kUnauthenticated: the command, what went wrong, the end of what it printed to stderr,
///          and its installHint.
Result<ExecCredential> RunExecPlugin(const ExecPlugin& plugin, const Cluster& cluster,
                                     Duration timeout,
                                     const std::function<bool()>& given_up = nullptr);

}  // namespace twofold::kube
