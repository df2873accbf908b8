#include "frontend/scalers/metrics_api.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <utility>

#include "lib/metrics/family.h"

namespace twofold::scalers {
namespace {

/// In the order of the command line, each once, however many shards it has.
std::vector<std::string> NamesOf(const frontend::QueueSet& queues) {
  std::vector<std::string> names;
  for (const auto& host : queues.all()) {
    if (host->shard() == 0) names.push_back(host->queue());
  }
  return names;
}

}  // namespace

MetricsApi::MetricsApi(std::string host, const frontend::QueueSet& queues, Observer& observer,
                       kube::ObjectName service)
    : host_(std::move(host)),
      observer_(observer),
      source_{.queues = NamesOf(queues),
              .read = [this](const Trigger& trigger) { return Read(trigger); },
              .wall = [] { return std::chrono::system_clock::now(); },
              .service = std::move(service)} {}

Result<std::unique_ptr<MetricsApi>> MetricsApi::Open(Options options,
                                                     const frontend::QueueSet& queues,
                                                     Observer& observer) {
  std::unique_ptr<MetricsApi> api(
      new MetricsApi(options.address.host, queues, observer, std::move(options.service)));
  aggregated::ServerOptions server{
      .address = options.address,
      .access = std::move(options.access),
      .material = std::move(options.material),
      .run_later = [pool = &api->pool_](auto task) { return pool->Post(std::move(task)); }};
  auto started = aggregated::Server::Start(
      std::move(server),
      {.groups = MetricGroups(), .answer = [source = &api->source_](const auto& asked) {
         return AnswerMetric(*source, asked);
       }});
  if (!started.ok()) return started.status();
  api->server_ = *std::move(started);
  return api;
}

MetricsApi::~MetricsApi() = default;

Result<Reading> MetricsApi::Read(const Trigger& trigger) {
  auto reading = observer_.Read(trigger);
  if (!reading.ok()) return reading;
  const MutexLock lock(mutex_);
  ages_.Record(reading->age);
  return reading;
}

std::vector<prometheus::MetricFamily> MetricsApi::Families() const {
  metrics::Family requests("twofold_metrics_api_requests_total",
                           "Requests of the API server for metrics, by group and what they got; "
                           "without a group: for what there is.",
                           metrics::MetricType::Counter);
  for (const aggregated::RequestCount& each : server_->Counts()) {
    requests.Add({{"group", each.group}, {"code", absl::StrCat(each.status)}}, each.requests);
  }
  metrics::Family ages("twofold_metrics_api_freshness_seconds",
                       "How old the numbers were that it got: 0 of queues that are served here, "
                       "else since their frontend has said them.",
                       metrics::MetricType::Histogram);
  {
    const MutexLock lock(mutex_);
    ages.Add({}, ages_);
  }
  return {requests.Take(), ages.Take()};
}

}  // namespace twofold::scalers
