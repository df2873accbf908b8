#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind IPerf() {
  return {
      "IPerf",
      "iperf",
      true,
      {.fixed = 2},
      WithCommon({
          Required({"duration", Whole(1), "", "s", "how long to send"}),
          Required({"streams", Whole(1), "", "", "connections at once"}),
          {"tool", OneOf({"iperf3", "iperf2"}), "iperf3", "", "iperf2: as kube-perftest runs it"},
          {"protocol", OneOf({"TCP", "UDP"}), "TCP", "", ""},
          {"reverse", Flag(), "false", "", "the server sends"},
          {"bidirectional", Flag(), "false", "", "both send at once"},
      })};
}

}  // namespace twofold::spec::kinds
