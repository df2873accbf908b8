#include "cli/runs/run_headlines.h"

#include <absl/strings/str_cat.h>

#include "twofold/v1/results.pb.h"

namespace twofold::cli {
namespace {

run::Headline HeadlineOf(const v1::Measurement& measurement) {
  std::string name = measurement.name();
  for (const v1::Dimension& dimension : measurement.dimensions()) {
    absl::StrAppend(&name, " ", dimension.name(), "=", dimension.value());
  }
  return {std::move(name), measurement.unit(), measurement.value()};
}

}  // namespace

std::vector<run::Headline> HeadlinesOf(const v1::Job& job) {
  std::vector<run::Headline> headlines;
  v1::BenchmarkResult result;
  if (result.ParseFromString(job.report().data())) {
    for (const v1::Measurement& measurement : result.measurements()) {
      if (measurement.headline()) headlines.push_back(HeadlineOf(measurement));
    }
  }
  if (headlines.empty())
    headlines.push_back({"run_time", "s", static_cast<double>(job.run_ns()) / 1e9});
  return headlines;
}

}  // namespace twofold::cli
