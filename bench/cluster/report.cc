#include "bench/cluster/report.h"

#include <algorithm>

namespace twofold::scale {
namespace {

Duration Sum(const std::vector<Duration>& values) {
  Duration sum{};
  for (const Duration value : values) sum += value;
  return sum;
}

}  // namespace

Duration Share(std::vector<Duration> values, double share) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return values[at];
}

void Report::AddWorkers(const World& world, std::optional<double> most) {
  const Ledger& ledger = world.ledger();
  Add("workers that came back", Count(ledger.back.size()));
  Add("half of them were away for at most", Share(ledger.back, 0.5));
  Add("99 % of them", Share(ledger.back, 0.99));
  Add("the last", Longest(ledger.back), most);
}

void Report::AddConnections(const World& world) {
  const Ledger& ledger = world.ledger();
  const double workers = std::max(1.0, Count(ledger.back.size()));
  Add("dials of a worker, mean", Count(ledger.dials) / workers, "dials");
  Add("frontend CPU for connections, all frontends", Sum(ledger.connect_cpu));
  Add("... the busiest one", Longest(ledger.connect_cpu));
}

void Report::AddJobs(const World& world) {
  const Ledger& ledger = world.ledger();
  Add("attempts lost (lease or grace period over)", Count(ledger.given_up), "", 0);
  Add("jobs tried twice", Count(ledger.second_tries), "", 0);
  Add("jobs lost", Count(ledger.lost), "", 0);
  Add("jobs that ended meanwhile", Count(ledger.ended));
}

}  // namespace twofold::scale
