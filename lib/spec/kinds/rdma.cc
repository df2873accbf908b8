#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

std::vector<Field> RdmaFields() {
  return {
      {"mode", OneOf({"read", "write"}), "read", "", ""},
      {"iterations", Whole(5), "1000", "", "each size so often"},
      {"extraArgs", Texts(), "", "", "more options of the tool"},
  };
}

Kind RdmaBandwidth() {
  std::vector<Field> fields = RdmaFields();
  fields.push_back({"qps", Whole(1), "1", "", "queue pairs"});
  return {"RDMABandwidth", "rdma-bandwidth", false, {.fixed = 2}, WithCommon(fields)};
}

Kind RdmaLatency() {
  return {"RDMALatency", "rdma-latency", false, {.fixed = 2}, WithCommon(RdmaFields())};
}

}  // namespace twofold::spec::kinds
