#include "frontend/scalers/metrics_api.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <utility>

#include "lib/metrics/family.h"

namespace twofold::scalers {
namespace {

constexpr const char* kAdvice =
    "A cluster has one server for a group of metrics: let workers be scaled by that one, or by "
    "KEDA, "
    "which asks --scaler-address (docs/scaling-workers.md)";

std::vector<std::string> ApiServices() {
  std::vector<std::string> names;
  for (const aggregated::ServedGroup& group : MetricGroups()) {
    for (const auto& each : group.versions) {
      names.push_back(absl::StrCat(each.version, ".", group.name));
    }
  }
  return names;
}

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
      new MetricsApi(options.address.host, queues, observer, options.service));
  auto publisher = aggregated::Publisher::Start({.access = options.access,
                                                 .service = options.service,
                                                 .api_services = ApiServices(),
                                                 .maker = std::move(options.name),
                                                 .advice = kAdvice,
                                                 .makes_certificate = options.material == nullptr});
  if (!publisher.ok()) return publisher.status();
  api->publisher_ = *std::move(publisher);
  if (!options.material) {
    options.material = [own = api->publisher_.get()] { return own->Material(); };
  }
  auto started = aggregated::Server::Start(
      {.address = options.address,
       .access = std::move(options.access),
       .material = std::move(options.material),
       .run_later = [pool = &api->pool_](auto task) { return pool->Post(std::move(task)); }},
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
  using metrics::Family;
  using metrics::MetricType;
  Family requests("twofold_metrics_api_requests_total",
                  "Requests of the API server for metrics, by group and what they got; without a "
                  "group: for what there is.",
                  MetricType::Counter);
  for (const aggregated::RequestCount& each : server_->Counts()) {
    requests.Add({{"group", each.group}, {"code", absl::StrCat(each.status)}}, each.requests);
  }
  Family ages("twofold_metrics_api_freshness_seconds",
              "How old the numbers were that it got: 0 of queues that are served here, else since "
              "their frontend has said them.",
              MetricType::Histogram);
  {
    const MutexLock lock(mutex_);
    ages.Add({}, ages_);
  }
  const aggregated::Publisher::State state = publisher_->Look();
  Family registered("twofold_metrics_api_registered",
                    "1 while the API server asks this frontend's Service, by APIService.",
                    MetricType::Gauge);
  for (const auto& [name, leads_here] : state.leads_here) {
    registered.Add({{"api_service", name}}, leads_here ? 1.0 : 0.0);
  }
  Family expires("twofold_metrics_api_certificate_expires_seconds",
                 "When the certificate is over that this frontend has made, in Unix time.",
                 MetricType::Gauge);
  if (state.expires) expires.Add({}, ToSeconds(state.expires->time_since_epoch()));
  return {requests.Take(), ages.Take(), registered.Take(), expires.Take()};
}

}  // namespace twofold::scalers
