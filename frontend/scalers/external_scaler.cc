#include "frontend/scalers/external_scaler.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "keda/externalscaler.pb.h"
#include "lib/rpc/unary.h"

namespace twofold::scalers {
namespace {

using externalscaler::GetMetricSpecResponse;
using externalscaler::GetMetricsRequest;
using externalscaler::GetMetricsResponse;
using externalscaler::IsActiveResponse;
using externalscaler::ScaledObjectRef;

Status Wrong(const Status& why) {
  return absl::InvalidArgumentError(absl::StrCat("scalerMetadata: ", std::string(why.message())));
}

Result<Trigger> TriggerOf(const Observer& observer, const ScaledObjectRef& ref) {
  auto trigger = ReadTrigger({ref.scalermetadata().begin(), ref.scalermetadata().end()});
  if (!trigger.ok()) return Wrong(trigger.status());
  if (Status status = observer.CheckQueue(trigger->queue); !status.ok()) return Wrong(status);
  return trigger;
}

/// Rounded up, so that what is there is not 0. REQUIRES: not negative.
std::int64_t Whole(double value) {
  constexpr double kMost = 1e18;
  return static_cast<std::int64_t>(std::ceil(std::min(value, kMost)));
}

GetMetricSpecResponse SpecOf(const Trigger& trigger) {
  GetMetricSpecResponse reply;
  auto& spec = *reply.add_metricspecs();
  spec.set_metricname(MetricName(trigger));
  spec.set_targetsize(Whole(trigger.target));
  spec.set_targetsizefloat(trigger.target);
  return reply;
}

Result<GetMetricsResponse> MetricsOf(Observer& observer, const GetMetricsRequest& request) {
  const auto trigger = TriggerOf(observer, request.scaledobjectref());
  if (!trigger.ok()) return trigger.status();
  const std::string name = MetricName(*trigger);
  if (request.metricname() != name) {
    return absl::InvalidArgumentError(
        absl::StrCat("metricName is '", request.metricname().substr(0, 80), "', and has to be '",
                     name, "', as the metadata are now"));
  }
  const auto reading = observer.Read(*trigger);
  if (!reading.ok()) return reading.status();
  const auto number = ValueOf(*trigger, *reading);
  if (!number.ok()) return number.status();
  GetMetricsResponse reply;
  auto& value = *reply.add_metricvalues();
  value.set_metricname(name);
  value.set_metricvalue(Whole(*number));
  value.set_metricvaluefloat(*number);
  return reply;
}

Result<IsActiveResponse> ActivityOf(Observer& observer, const ScaledObjectRef& ref) {
  const auto trigger = TriggerOf(observer, ref);
  if (!trigger.ok()) return trigger.status();
  const auto reading = observer.Read(*trigger);
  if (!reading.ok()) return reading.status();
  const auto active = IsActive(*trigger, *reading);
  if (!active.ok()) return active.status();
  IsActiveResponse reply;
  reply.set_result(*active);
  return reply;
}

/// Says whether a queue needs workers, and says it again when that changes.
class ActivityStream final : public rpc::OneRequestCall<ScaledObjectRef, IsActiveResponse>,
                             public Listener {
 public:
  explicit ActivityStream(Observer& observer) : observer_(observer) {}

  void OnActivity(bool active) override {
    if (told_ == active) return;
    told_ = active;
    Add([active](IsActiveResponse& reply) {
      reply.set_result(active);
      return std::size_t{1};
    });
    Flush();
  }

 private:
  void OnRequest(const ScaledObjectRef& ref) override {
    auto trigger = TriggerOf(observer_, ref);
    if (!trigger.ok()) return Close(trigger.status());
    observer_.Listen(*std::move(trigger),
                     std::static_pointer_cast<ActivityStream>(shared_from_this()));
  }

  Observer& observer_;
  std::optional<bool> told_;  // by the observer's thread
};

/// Says what a metric is called and its target. Both come from the request alone, so they never
/// change; the stream stays, as KEDA would ask again for one that ends.
class SpecStream final : public rpc::OneRequestCall<ScaledObjectRef, GetMetricSpecResponse> {
 public:
  explicit SpecStream(const Observer& observer) : observer_(observer) {}

 private:
  void OnRequest(const ScaledObjectRef& ref) override {
    const auto trigger = TriggerOf(observer_, ref);
    if (!trigger.ok()) return Close(trigger.status());
    Add([&](GetMetricSpecResponse& reply) {
      reply = SpecOf(*trigger);
      return std::size_t{1};
    });
    Flush();
  }

  const Observer& observer_;
};

}  // namespace

ExternalScaler::ExternalScaler(Observer& observer, frontend::OpenCalls& streams,
                               frontend::ReaderPool& readers)
    : Service("externalscaler.ExternalScaler", streams, readers) {
  Serve<ScaledObjectRef, IsActiveResponse>(
      "IsActive", [&](const ScaledObjectRef& ref) { return ActivityOf(observer, ref); });
  Serve<ScaledObjectRef, GetMetricSpecResponse>(
      "GetMetricSpec", [&](const ScaledObjectRef& ref) -> Result<GetMetricSpecResponse> {
        const auto trigger = TriggerOf(observer, ref);
        if (!trigger.ok()) return trigger.status();
        return SpecOf(*trigger);
      });
  Serve<GetMetricsRequest, GetMetricsResponse>(
      "GetMetrics", [&](const GetMetricsRequest& request) { return MetricsOf(observer, request); });
  Stream("StreamIsActive", [&](auto&) { return std::make_shared<ActivityStream>(observer); });
  Stream("StreamMetricSpec", [&](auto&) { return std::make_shared<SpecStream>(observer); });
}

}  // namespace twofold::scalers
