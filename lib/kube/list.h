#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/kube/call.h"
#include "lib/kube/connection.h"

namespace twofold::kube {

/// A whole list, taken chunk by chunk.
struct ListEnd {
  std::string resource_version;  ///< to watch from
  std::uint64_t objects = 0;
  int restarts = 0;  ///< times that the chunks expired on the way, and all began anew
};

struct ListEvents {
  /// An object, and when the first bytes of its chunk came. They get apiVersion and kind, which
  /// lists leave out.
  std::function<void(Json object, Instant first_byte)> object;

  /// All objects so far are void: the list begins anew.
  std::function<void()> restart;
};

/// Errors   those of the connection; kOutOfRange: the chunks expired five times.
Result<ListEnd> List(Connection& connection, const Selection& selection, const ListEvents& events,
                     std::uint32_t limit = 500);

/// All objects in one vector, for few.
Result<std::vector<Json>> ListAll(Connection& connection, const Selection& selection);

}  // namespace twofold::kube
