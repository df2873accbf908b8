#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/local/state_folder.h"
#include "lib/target/page.h"
#include "lib/target/target.h"

namespace twofold::targets {

/// A deployment of `twofold local`, by its supervisor. Pages that were not given are those of the
/// local cluster, which gets no token of ours.
///
/// Errors   Check: kPermissionDenied: others can write to the state folder. kNotFound: no cluster
///          runs there, or it lacks a part.
std::unique_ptr<Target> MakeLocalTarget(local::StateFolder folder, Parts parts,
                                        std::optional<Page> client, std::optional<Page> frontend);

}  // namespace twofold::targets
