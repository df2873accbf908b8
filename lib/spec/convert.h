#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/spec/kind.h"
#include "lib/yaml/node.h"

/// Files of others, and of earlier times, as objects of a cluster. Pure.
namespace twofold::spec {

/// A Benchmark (kObjectVersion), and what it says otherwise than the file that it was made of.
struct Converted {
  Json object;
  std::vector<std::string> notes{};  ///< for people, each a line
};

/// The Benchmarks that `text` comes to: one of a file that ReadSweep takes, one for each metric of
/// a MetricSet of metrics-operator (network-osu-benchmark and io-fio). `file` is what messages call
/// it.
///
/// Errors   kInvalidArgument "FILE:LINE:COLUMN: field: what", also for what no object can say.
Result<std::vector<Converted>> ToBenchmarks(const std::string& file, const std::string& text,
                                            std::span<const Kind> kinds);

/// `name` as Kubernetes takes it for an object: in lower case, with '-' for what it has not.
std::string ObjectName(std::string_view name);

}  // namespace twofold::spec
