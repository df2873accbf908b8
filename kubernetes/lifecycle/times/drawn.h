#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/plateau.h"
#include "kubernetes/lifecycle/times/runai_files.h"
#include "kubernetes/lifecycle/times/span.h"

/// What pictures are drawn of, whoever has measured it. Pure.
namespace twofold::lifecycle {

struct DrawnSpan {
  std::string name;  ///< that of the report: "scheduled_to_started"
  std::string from;  ///< in words: "scheduled"
  std::string to;
  bool optional = false;  ///< not every cluster shows it: nobody having it is no loss
  bool general = false;   ///< it is in the general picture
  bool detailed = false;  ///< it is in the detailed one
};

struct DrawnWorkload {
  std::string name;
  double sent = 0.0;                           ///< seconds since the first was
  std::vector<std::optional<Between>> values;  ///< of each span, in their order
};

/// When something happened, over and over: seconds since the first workload was sent.
struct DrawnRate {
  std::string name;  ///< "pods scheduled"
  std::vector<double> at;
  std::size_t inexact = 0;  ///< of which only an interval is known; its end is in `at`
};

struct Drawn {
  std::string headline = {};  ///< "320 workloads of kind job, run r1"
  std::vector<DrawnSpan> spans = {};
  std::vector<DrawnWorkload> workloads = {};  ///< in the order of sending
  std::size_t not_sent = 0;  ///< workloads of which it is not known when they were sent
  std::vector<DrawnRate> rates = {};
  std::vector<Plateau> plateaus = {};
};

/// `plateaus`: those of the report.
Drawn DrawnOf(const Kind& kind, const std::string& run, const std::vector<Life>& lives,
              const std::vector<Plateau>& plateaus);
Drawn DrawnOf(const RunaiData& data);

}  // namespace twofold::lifecycle
