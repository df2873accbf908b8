#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

std::vector<Field> WithCommon(std::vector<Field> own) {
  using enum Role;
  const std::vector<Field> common = {
      {"image", Text(), "", "", "container image of the workers", kPlacement},
      {"imagePullPolicy", OneOf({"Always", "IfNotPresent", "Never"}), "IfNotPresent", "",
       "when the image is fetched", kNoEffect},
      {"hostNetwork", Flag(), "", "", "on the node's own network or not", kPlacement},
      {"networkName", Text(), "", "", "Multus network of the pods", kPlacement},
      {"resources", AnyMap(), "", "", "requests and limits of the pods: CPUs, memory, devices",
       kPlacement},
      {"mtu", Whole(1, 65536), "", "bytes", "largest packet of the pods' interface", kPlacement},
  };
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

FieldType Transport() { return OneOf({"TCP", "RDMA"}); }

Field SshPort() {
  return {"sshPort", Whole(1, 65535), "2222", "", "gangs need no ssh", Role::kNoEffect};
}

}  // namespace twofold::spec::kinds
