#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/report/sources/comparison.h"
#include "lib/report/sources/curves.h"
#include "lib/report/sources/load_figures.h"
#include "lib/report/sources/parts.h"
#include "lib/report/sources/run_figures.h"
#include "lib/report/sources/scaling_figures.h"
#include "lib/report/sources/sources.h"

namespace twofold::report {
namespace {

/// The members of all sources, which are of one kind, as the figures take them.
template <typename Named, typename Kind>
std::vector<Named> NamedOf(std::span<const Source> sources) {
  std::vector<Named> named;
  for (const Source& source : sources) {
    named.push_back({source.name, &std::get<Kind>(source.record)});
  }
  return named;
}

/// What there is to see of all together.
class Together {
 public:
  explicit Together(std::span<const Source> sources) : sources_(sources) {}

  Document operator()(const v1::ValidationRecord&) const {
    Section section{.title = "Together", .blocks = {}};
    Add(ScalingPictures(NamedOf<NamedValidation, v1::ValidationRecord>(sources_)), section);
    return {.title = "Validations", .verdict = "", .sections = {std::move(section)}};
  }

  Document operator()(const v1::LoadRecord&) const {
    Section section{.title = "Together", .blocks = {}};
    Add(LatencyPicture(NamedOf<NamedLoad, v1::LoadRecord>(sources_)), section);
    return {.title = "Loads", .verdict = "", .sections = {std::move(section)}};
  }

  Document operator()(const RunResults& first) const {
    Section section{.title = "Together", .blocks = {}};
    Document document{.title = "Runs", .verdict = ""};
    if (sources_.size() == 2) {
      const auto pairs = PairsOf(first, std::get<RunResults>(sources_[1].record));
      document.verdict = Compared(pairs, sources_[0].name, sources_[1].name);
      Add(ForestPicture(pairs), section);
      Add(Ratios(pairs), section);
    }
    const std::vector<NamedRun> runs = NamedOf<NamedRun, RunResults>(sources_);
    Add(HeadlinePictures(runs), section);
    Add(CurvePictures(runs), section);
    document.sections = {std::move(section)};
    return document;
  }

 private:
  std::span<const Source> sources_;
};

Document Alone(const Record& record) {
  return std::visit([](const auto& each) { return DocumentOf(each); }, record);
}

Tone Worse(Tone a, Tone b) {
  constexpr std::array<int, 4> kOrder = {0, 1, 3, 2};  // in the order of Tone
  return kOrder.at(static_cast<std::size_t>(a)) >= kOrder.at(static_cast<std::size_t>(b)) ? a : b;
}

/// The sections of one of several, under its name; its measures get its name as a label.
void Append(const std::string& name, std::size_t number, Document one, Document& all) {
  all.tone = Worse(all.tone, one.tone);
  absl::StrAppend(&all.verdict, all.verdict.empty() ? "" : " ", name, ": ", one.verdict);
  for (Section& section : one.sections) {
    section.title = absl::StrCat(name, ": ", section.title);
    for (Block& block : section.blocks) {
      if (auto* picture = std::get_if<Picture>(&block)) {
        picture->name = absl::StrCat(number, "-", picture->name);
      }
    }
    all.sections.push_back(std::move(section));
  }
  for (Check& check : one.checks) {
    check.name = absl::StrCat(name, ": ", check.name);
    all.checks.push_back(std::move(check));
  }
  for (Measure& measure : one.measures) {
    measure.labels.emplace_back("source", name);
    all.measures.push_back(std::move(measure));
  }
}

}  // namespace

Result<Document> DocumentOf(std::span<const Source> sources) {
  if (sources.size() == 1) return Alone(sources[0].record);
  for (const Source& source : sources) {
    if (source.record.index() == sources[0].record.index()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(sources[0].name, " and ", source.name,
                     " are of different kinds: one report takes runs, validations or loads"));
  }
  Document document = std::visit(Together(sources), sources[0].record);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Append(sources[i].name, i + 1, Alone(sources[i].record), document);
  }
  return document;
}

}  // namespace twofold::report
