#include "lib/cluster/view.h"

#include <absl/strings/str_cat.h>

#include <set>
#include <string_view>

namespace twofold::cluster {
namespace {

Status Refuse(const std::string& row, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(row, ": ", what));
}

Status CheckName(const std::string& row, const std::string& field, const std::string& name) {
  if (name.size() <= kLongestName) return absl::OkStatus();
  return Refuse(row, absl::StrCat(field, " has ", name.size(), " bytes; at most ", kLongestName,
                                  " are allowed"));
}

Status CheckNumber(const std::string& row, const std::string& field, std::uint64_t number) {
  if (number < kHighestNumber) return absl::OkStatus();
  return Refuse(row, absl::StrCat(field, " is ", number, "; it must be below ", kHighestNumber));
}

Status CheckCount(const std::string& table, std::size_t count, std::size_t most) {
  if (count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("table ", table, " has ", count, " rows; at most ", most, " are allowed"));
}

Status CheckMember(const Member& member) {
  const std::string row = absl::StrCat("frontend \"", member.name, "\"");
  if (member.name.empty()) return Refuse(row, "name is empty");
  if (member.incarnation == 0) return Refuse(row, "incarnation is 0");
  if (Status ok = CheckName(row, "name", member.name); !ok.ok()) return ok;
  return CheckNumber(row, "beat", member.beat);
}

Status CheckPartition(const Partition& partition) {
  const std::string row = absl::StrCat("partition ", partition.number);
  if (Status ok = CheckName(row, "owner", partition.owner); !ok.ok()) return ok;
  if (Status ok = CheckName(row, "next", partition.next); !ok.ok()) return ok;
  if (Status ok = CheckNumber(row, "epoch", partition.epoch); !ok.ok()) return ok;
  if (Status ok = CheckNumber(row, "losses", partition.losses); !ok.ok()) return ok;
  return CheckNumber(row, "version", partition.version);
}

}  // namespace

Status Check(const View& view) {
  if (Status ok = CheckCount("frontend", view.members.size(), kMostMembers); !ok.ok()) return ok;
  if (Status ok = CheckCount("partition", view.partitions.size(), kMostPartitions); !ok.ok()) {
    return ok;
  }
  std::set<std::string_view> names;
  for (const Member& member : view.members) {
    if (Status ok = CheckMember(member); !ok.ok()) return ok;
    if (!names.insert(member.name).second) {
      return Refuse(absl::StrCat("frontend \"", member.name, "\""), "the name is there twice");
    }
  }
  std::set<PartitionNumber> numbers;
  for (const Partition& partition : view.partitions) {
    if (Status ok = CheckPartition(partition); !ok.ok()) return ok;
    if (!numbers.insert(partition.number).second) {
      return Refuse(absl::StrCat("partition ", partition.number), "the number is there twice");
    }
  }
  return absl::OkStatus();
}

}  // namespace twofold::cluster
