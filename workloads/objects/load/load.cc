#include "workloads/objects/load/load.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace twofold::objects {
namespace {

using suite::object_storage::Loaders;
using suite::object_storage::ParseSize;

constexpr std::array<const char*, kOps> kNames = {"GET",  "PUT",    "UPDATE", "MULTIPART",
                                                  "HEAD", "DELETE", "LIST"};

constexpr std::uint64_t kHashSeed = 1103515245;  // aisloader's

std::uint64_t SizeOf(const std::string& text) { return ParseSize("", text).value_or(0); }

}  // namespace

const char* NameOf(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::uint64_t LoaderNumber(const Spec& spec) {
  if (spec.loaderidhashlen() == 0) return std::strtoull(spec.loaderid().c_str(), nullptr, 10);
  const std::uint64_t hash = XXH64(spec.loaderid().data(), spec.loaderid().size(), kHashSeed);
  return hash & ((std::uint64_t{1} << spec.loaderidhashlen()) - 1);
}

Load LoadOf(const Spec& spec, std::uint64_t names) {
  Load load;
  load.seed = spec.seed();
  load.loaders = spec.loaderidhashlen() > 0 ? 1 : Loaders(spec);
  load.loader = spec.loaderidhashlen() > 0 ? 0 : LoaderNumber(spec);
  load.put_percent = spec.pctput();
  load.head_percent = spec.pcthead();
  load.delete_percent = spec.pctdelete();
  load.list_percent = spec.pctlist();
  load.update_percent = spec.pctupdate();
  load.multipart_percent = spec.pctmultipart();
  load.min_size = SizeOf(spec.minsize());
  load.max_size = SizeOf(spec.maxsize());
  load.log_sizes = spec.sizes() == "log";
  load.names = names;
  load.first_put = spec.objects();
  load.each_once = spec.uniquegets();
  load.split = spec.partition() == "split";
  load.epochs = spec.epochs();
  // A limit of less than one each is one for all: 0 would be no limit.
  const auto limit = [&](std::uint64_t total) {
    return total == 0 ? 0 : std::max<std::uint64_t>(ShareOf(total, load.loader, load.loaders), 1);
  };
  load.max_puts = limit(spec.maxputs());
  load.max_put_bytes = limit(SizeOf(spec.totalputsize()));
  load.in_flight = spec.numworkers();
  load.rate = spec.rate() / static_cast<double>(load.loaders);
  load.poisson = spec.arrivals() == "poisson";
  return load;
}

}  // namespace twofold::objects
