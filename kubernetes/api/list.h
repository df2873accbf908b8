#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

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

/// How much may come at most; more is an error. A server that never ends a list must not keep us.
struct ListLimits {
  std::uint32_t page = 500;          ///< objects a chunk; 0: as many as the server likes
  std::uint64_t pages = 100'000;     ///< chunks, those before a new beginning included
  std::uint64_t bytes = UINT64_MAX;  ///< of the chunks' text
};

/// Limits of what is kept in memory, where a byte of text takes some three.
inline constexpr ListLimits kKeptList{500, 2'000, 256 << 20};

/// Errors   those of the connection; kOutOfRange: the chunks expired five times;
///          kResourceExhausted: more than `limits`.
Result<ListEnd> List(Connection& connection, const Selection& selection, const ListEvents& events,
                     const ListLimits& limits = {});

/// Calls visit(object) for each, and `restart` if all that came so far is void.
Status ForEach(Connection& connection, const Selection& selection,
               const std::function<void(const Json& object)>& visit,
               const std::function<void()>& restart);

/// All objects in one vector, for few.
Result<std::vector<Json>> ListAll(Connection& connection, const Selection& selection,
                                  const ListLimits& limits = kKeptList);

}  // namespace twofold::kube
