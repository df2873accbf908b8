#pragma once

#include <cstdint>
#include <string_view>

#include "backend/rsh/gang_file.h"

namespace twofold::gang {

/// The rank of the member that `host` means: its address, else its pod or its node, else the first
/// label of one of them (Open MPI may cut "worker-1.workers.svc" down to that). Of several members
/// on one host the last one, as rank 0 needs no help on its own.
///
/// Errors   kNotFound: which hosts there are.
Result<std::uint32_t> FindMember(const Gang& gang, std::string_view host);

}  // namespace twofold::gang
