#include "kubernetes/operator/status.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <utility>

#include "lib/common/printable.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

Json StatusOf(const Json& benchmark) {
  const Json* status = kube::At(benchmark, "/status");
  return status != nullptr && status->is_object() ? *status : Json::object();
}

std::string Number(double value) { return absl::StrFormat("%.4g", value); }

Json EntryOf(const Headline& headline) {
  Json entry = {{"permutation", headline.permutation},
                {"name", headline.name},
                {"unit", headline.unit},
                {"mean", Number(headline.mean)},
                {"jobs", headline.jobs}};
  if (headline.half_width > 0) entry["halfWidth"] = Number(headline.half_width);
  if (headline.varied != "{}" && !headline.varied.empty()) {
    entry["varied"] = Printable(headline.varied, kLongestVaried);
  }
  return entry;
}

std::string WithUnit(const std::string& number, const std::string& unit) {
  return absl::StrCat(number, unit.empty() ? "" : " ", unit);
}

Json EntryOf(const cli::Figure& figure) {
  Json entry = {{"name", figure.name}, {"unit", figure.unit}, {"value", Number(figure.value)}};
  if (figure.lower) entry["lower"] = Number(*figure.lower);
  if (figure.upper) entry["upper"] = Number(*figure.upper);
  return entry;
}

/// "throughput 158.3 1/s (150.5 .. 166)"
std::string FigureText(const cli::Figure& figure) {
  const std::string text =
      absl::StrCat(figure.name, " ", WithUnit(Number(figure.value), figure.unit));
  if (!figure.lower || !figure.upper) return text;
  return absl::StrCat(text, " (", Number(*figure.lower), " .. ", Number(*figure.upper), ")");
}

}  // namespace

StatusDraft::StatusDraft(const Json& benchmark, kube::UnixTime now)
    : benchmark_(benchmark), now_(now), before_(StatusOf(benchmark)), status_(before_) {
  status_["observedGeneration"] = controller::GenerationOf(benchmark);
}

bool StatusDraft::Set(const controller::StatusCondition& condition) {
  return controller::SetCondition(status_["conditions"], condition,
                                  controller::GenerationOf(benchmark_), now_);
}

void StatusDraft::SetCounts(const RunLook& look) {
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"jobs", look.jobs},           {"waiting", look.waiting}, {"running", look.running},
      {"succeeded", look.succeeded}, {"failed", look.failed},   {"withdrawn", look.withdrawn}};
  for (const auto& [name, count] : counts) status_[name] = count;
}

void StatusDraft::SetResults(const Results& results) {
  Json list = Json::array();
  for (const Headline& each : results.headlines) {
    if (list.size() < kMostResults) list.push_back(EntryOf(each));
  }
  status_["results"] = std::move(list);
  status_["resultsInAll"] = results.in_all;
  const std::string text = ResultText(results.headlines);
  if (!text.empty()) status_["result"] = text;
}

void StatusDraft::SetVerdict(const cli::Verdict& verdict) {
  status_["verdict"] = verdict.verdict;
  Json figures = Json::array();
  for (const cli::Figure& each : verdict.figures) figures.push_back(EntryOf(each));
  if (!figures.empty()) status_["result"] = FigureText(verdict.figures.front());
  status_["figures"] = std::move(figures);
}

Json StatusDraft::Object() const {
  const kube::ObjectName name = kube::NameOf(benchmark_);
  return {{"apiVersion", kube::TextAt(benchmark_, "/apiVersion")},
          {"kind", kube::TextAt(benchmark_, "/kind")},
          {"metadata", {{"name", name.name}, {"namespace", name.space}}},
          {"status", status_}};
}

std::string ResultText(const std::vector<Headline>& headlines) {
  if (headlines.empty()) return "";
  const Headline& first = headlines.front();
  double least = first.mean;
  double most = first.mean;
  bool is_alone = true;
  for (const Headline& each : headlines) {
    if (each.name != first.name || each.unit != first.unit) continue;
    is_alone = is_alone && each.permutation == first.permutation;
    least = std::min(least, each.mean);
    most = std::max(most, each.mean);
  }
  if (!is_alone) {
    return WithUnit(absl::StrCat(Number(least), " .. ", Number(most)), first.unit);
  }
  const std::string mean = WithUnit(Number(first.mean), first.unit);
  return first.half_width > 0 ? absl::StrCat(mean, " ± ", Number(first.half_width)) : mean;
}

}  // namespace twofold::benchmarks
