#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {

Kind IPerf() {
  return {
      "IPerf",
      "iperf",
      true,
      {.fixed = 2},
      WithCommon({
          {"duration", Whole(1, 86400), "10", "s", "how long to send"},
          {"streams", Whole(1, 128), "1", "", "connections at once"},
          {"tool", OneOf({"iperf3", "iperf2"}), "iperf3", "", "iperf2: as kube-perftest runs it"},
          {"protocol", OneOf({"TCP", "UDP"}), "TCP", "", ""},
          {"reverse", Flag(), "false", "", "the server sends; iperf3"},
          {"bidirectional", Flag(), "false", "", "both send at once; iperf3"},
          {"bitrate", Whole(0, 1000000), "0", "Mbit/s",
           "of a stream; 0: TCP all it can, UDP the tool's default"},
          {"omit", Whole(0, 600), "0", "s", "before that, not measured; iperf3"},
          {"length", Whole(0, 1048576), "0", "bytes", "of a write or datagram; 0: the tool's"},
          {"port", Whole(0, 65535), "0", "", "of the server; 0: the tool's"},
      })};
}

}  // namespace twofold::spec::kinds
