#include <absl/strings/str_cat.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "lib/suite/text.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::suite::lifecycle {
namespace {

constexpr std::string_view kReport = "report";

/// A statistic of a span, and the field of the report that has it.
struct Stat {
  const char* name;
  const char* field;
};
constexpr std::array<Stat, 4> kStats = {{{"mean", "mean_seconds"},
                                         {"p50", "p50_seconds"},
                                         {"p90", "p90_seconds"},
                                         {"p99", "p99_seconds"}}};

/// Spans that most clusters have and people ask for first.
bool IsHeadline(const std::string& span, std::string_view stat) {
  return (span == "pod_ready" || span == "complete") && stat != "mean";
}

class Reader {
 public:
  explicit Reader(const Json& report) : report_(report) {}

  Result<Measurements> Read() && {
    numbers_.tool = "twofold lifecycle";
    const std::string kind = TextAt(report_, {"kind"});
    if (kind.empty()) return Unreadable(kReport, "it does not say of which kind the workloads are");
    of_run_ = {{"kind", kind}};
    ReadLoad();
    Status status = ReadSpans();
    if (status.ok()) status = ReadCounts();
    if (status.ok()) status = ReadPending();
    if (status.ok()) ReadFill();
    if (!status.ok()) return status;
    return std::move(numbers_);
  }

 private:
  /// Of reports that say it.
  void ReadLoad() {
    const Json* const load = Find(report_, {"load"});
    if (load == nullptr || !load->is_object()) return;
    for (const auto& [field, value] : load->items()) {
      if (value.is_string()) of_run_.emplace_back(field, Quoted(value.get<std::string>()));
    }
  }

  Status ReadSpans() {
    const Json* const spans = Find(report_, {"spans"});
    if (spans == nullptr || !spans->is_array() || spans->empty()) {
      return Unreadable(kReport, "it has no spans");
    }
    for (const Json& span : *spans) {
      const std::string name = TextAt(span, {"name"});
      const Json* const n = Find(span, {"n"});
      if (name.empty() || n == nullptr || !n->is_number_unsigned()) {
        return Unreadable(kReport, "a span has no name or no number of workloads");
      }
      AddSpan(name, span);
    }
    return absl::OkStatus();
  }

  /// What is not known, as so many never came, is null in the report and no number here.
  void AddSpan(const std::string& name, const Json& span) {
    for (const auto& [stat, field] : kStats) {
      const Json* const value = Find(span, {field});
      if (value == nullptr || !value->is_number()) continue;
      Add(name, *value, "s", Better::kLower, {"stat", stat}, IsHeadline(name, stat));
    }
  }

  Status ReadCounts() {
    const Json* const counts = Find(report_, {"counts"});
    const Json* const workloads = Find(report_, {"counts", "workloads"});
    if (workloads == nullptr || !workloads->is_number_unsigned()) {
      return Unreadable(kReport, "it does not say how many workloads there were");
    }
    for (const auto& [name, count] : counts->items()) {
      if (!count.is_number_unsigned()) return Unreadable(kReport, "a count that is none");
      numbers_.measurements.push_back(
          {name, count.get<double>(), "", Better::kNone, false, of_run_});
    }
    return absl::OkStatus();
  }

  Status ReadPending() {
    const Json* const pending = Find(report_, {"pending_seconds"});
    if (pending == nullptr || !pending->is_object()) {
      return Unreadable(kReport, "it does not say what was waited for");
    }
    for (const auto& [reason, seconds] : pending->items()) {
      if (!seconds.is_number()) return Unreadable(kReport, "a time that is none");
      Add("pending", seconds, "s", Better::kLower, {"reason", reason}, false);
    }
    return absl::OkStatus();
  }

  /// At which rates the cluster took what filled it; most runs do not.
  void ReadFill() {
    for (const auto& [field, unit, better] : {std::tuple{"created_rate", "1/s", Better::kHigher},
                                              {"scheduled_rate", "1/s", Better::kHigher},
                                              {"ready_rate", "1/s", Better::kHigher},
                                              {"all_ready_seconds", "s", Better::kLower}}) {
      const Json* const value = Find(report_, {"fill", field});
      if (value == nullptr || !value->is_number()) continue;
      numbers_.measurements.push_back(
          {absl::StrCat("fill_", field), value->get<double>(), unit, better, false, of_run_});
    }
  }

  /// Two moments that are one for the cluster may be told in either order: a span may be below 0.
  void Add(const std::string& name, const Json& value, const char* unit, Better better,
           Dimension dimension, bool headline) {
    Dimensions dimensions = of_run_;
    dimensions.push_back(std::move(dimension));
    numbers_.measurements.push_back(
        {name, value.get<double>(), unit, better, headline, std::move(dimensions), {}, true});
  }

  const Json& report_;
  Dimensions of_run_;
  Measurements numbers_;
};

}  // namespace

Result<Measurements> NumbersOf(const Json& report) { return Reader(report).Read(); }

}  // namespace twofold::suite::lifecycle
