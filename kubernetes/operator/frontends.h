#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/command/command.h"
#include "kubernetes/controller/object_cache.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/result.h"

namespace twofold::benchmarks {

/// Where runs of a namespace go, and how to get in there.
struct Site {
  std::string frontend;  ///< name of the Frontend; empty: the one of the command line serves all
  std::string space;     ///< whose token is shown; empty: the operator's own
  cli::Globals globals;
};

/// Which frontend runs an object: that of the command line, or one of the Frontends of the cluster.
///
/// With Frontends each namespace has a token of its own at each of them, and that alone is shown
/// there for its objects. Tokens and certificates are files of one folder, such as a Secret is
/// mounted as; they are read anew when they change:
///
///     FRONTEND.NAMESPACE.token
///     FRONTEND.ca.crt, FRONTEND.tls.crt, FRONTEND.tls.key    where the Frontend has an address
///
/// Threads  Safe.
class Frontends {
 public:
  /// Of the name of a Frontend; nullptr: there is none.
  using Find = std::function<controller::Snapshot(const std::string& name)>;

  /// `own`: the frontend of the command line. `folder`: that of the files; empty: there are no
  /// Frontends.
  Frontends(cli::Globals own, std::string folder, Find find);

  /// What the Frontend has against the object; `connects`: whether the operator itself has to get
  /// in there for it.
  [[nodiscard]] std::optional<Bar> BarTo(const kube::Json& object, bool connects) const;

  /// Errors   kFailedPrecondition: there is no such Frontend, or no token.
  [[nodiscard]] Result<Site> SiteOf(const kube::Json& object) const;

  /// HOST:PORT of the object's Frontend; empty: it has none of its own.
  [[nodiscard]] std::string AddressOf(const kube::Json& object) const;

 private:
  [[nodiscard]] Result<Site> SiteAt(const kube::Json& frontend, const std::string& space) const;
  [[nodiscard]] controller::Snapshot FrontendFor(const kube::Json& object) const;

  const cli::Globals own_;
  const std::string folder_;
  const Find find_;
};

}  // namespace twofold::benchmarks
