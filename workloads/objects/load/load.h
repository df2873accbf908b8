#pragma once

#include <cstdint>
#include <string>

#include "lib/common/instant.h"
#include "suites/object_storage/object_storage.h"

namespace twofold::objects {

using Spec = v1::suites::ObjectStorageSpec;

/// A kind of request, as the report names it.
enum class Op : std::uint8_t { kGet, kPut, kUpdate, kMultipart, kHead, kDelete, kList };
inline constexpr std::size_t kOps = 7;
const char* NameOf(Op op);

/// A spec in numbers: what one loader has to do. Plain data.
struct Load {
  std::uint64_t seed = 0;
  std::uint64_t loader = 0;  ///< 0 to loaders - 1
  std::uint64_t loaders = 1;

  std::uint32_t put_percent = 0;  ///< of all requests; what no percentage claims are GETs
  std::uint32_t head_percent = 0;
  std::uint32_t delete_percent = 0;
  std::uint32_t list_percent = 0;
  std::uint32_t update_percent = 0;     ///< of GETs
  std::uint32_t multipart_percent = 0;  ///< of PUTs

  std::uint64_t min_size = 0;
  std::uint64_t max_size = 0;
  bool log_sizes = false;

  std::uint64_t names = 0;      ///< that are there to be read; 0: those that this loader puts
  std::uint64_t first_put = 0;  ///< number of the first name that any loader puts
  bool each_once = true;        ///< reads go through all names before one comes again
  bool split = true;            ///< all loaders together, or each for itself
  std::uint64_t epochs = 0;     ///< 0: no end

  std::uint64_t max_puts = 0;       ///< of this loader; 0: no limit
  std::uint64_t max_put_bytes = 0;  ///< of this loader; 0: no limit

  std::uint64_t in_flight = 1;  ///< requests at a time, at most

  double rate = 0;  ///< requests a second of this loader; 0: closed loop
  bool poisson = false;
};

/// The number of this loader, which with loaderidhashlen is a hash.
std::uint64_t LoaderNumber(const Spec& spec);

/// REQUIRES: `spec` is one that ReadSpec has returned. `names`: how many there are to be read.
Load LoadOf(const Spec& spec, std::uint64_t names);

/// How many of `total` things loader `loader` of `loaders` has, which take turns.
constexpr std::uint64_t ShareOf(std::uint64_t total, std::uint64_t loader, std::uint64_t loaders) {
  return total / loaders + (loader < total % loaders ? 1 : 0);
}

}  // namespace twofold::objects
