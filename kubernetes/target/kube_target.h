#pragma once

#include <memory>
#include <optional>

#include "kubernetes/api/connection.h"
#include "lib/target/page.h"
#include "lib/target/target.h"

namespace twofold::targets {

/// A Deployment of Kubernetes, or a WorkerPool. Load client and frontend are asked through the API
/// server, unless their URL is given. Of several frontends each is asked for its metrics, as each
/// knows only the queues, or shards, that it serves.
///
/// Errors   Check: kNotFound: a part is missing. kFailedPrecondition: an HPA scales the workers;
///          whoever may not see HPAs goes on.
std::unique_ptr<Target> MakeKubeTarget(kube::Access access, Parts parts, std::optional<Page> client,
                                       std::optional<Page> frontend);

}  // namespace twofold::targets
