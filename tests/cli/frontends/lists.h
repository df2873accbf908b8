#pragma once

#include <string>
#include <vector>

#include "twofold/v1/frontends.pb.h"

/// Lists of frontends in a line each.
namespace twofold::cli {

using List = v1::ListFrontendsReply;

inline v1::Partition Part(std::uint32_t number, const std::string& queue, std::uint64_t epoch = 1) {
  v1::Partition partition;
  partition.set_number(number);
  partition.set_queue(queue);
  partition.set_epoch(epoch);
  return partition;
}

inline v1::Frontend Named(const std::string& name, const std::vector<v1::Partition>& partitions) {
  v1::Frontend frontend;
  frontend.set_name(name);
  for (const v1::Partition& each : partitions) *frontend.add_partitions() = each;
  return frontend;
}

inline List ListOf(const std::vector<v1::Frontend>& frontends,
                   const std::vector<v1::Partition>& unowned = {}) {
  List list;
  for (const v1::Frontend& each : frontends) *list.add_frontends() = each;
  for (const v1::Partition& each : unowned) *list.add_unowned() = each;
  return list;
}

}  // namespace twofold::cli
