#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "keda/externalscaler.pb.h"
#include "tests/fakes/caller.h"

namespace twofold::testing {

/// An external-push trigger as KEDA's operator carries it out.
class Keda {
 public:
  using Metadata = std::map<std::string, std::string>;

  Keda(const std::string& address, const Metadata& metadata,
       const security::Client& client = security::Client())
      : caller_(address, client) {
    ref_.set_name("scaled");
    ref_.set_namespace_("monitoring");
    ref_.mutable_scalermetadata()->insert(metadata.begin(), metadata.end());
    (*ref_.mutable_scalermetadata())["scalerAddress"] = address;
  }

  /// The HPA is made from it.
  Status GetMetricSpec() { return Ask("GetMetricSpec", ref_, spec); }

  /// One look of the HPA: the metric by the name of the spec, then whether there is anything to do.
  Status Look() {
    externalscaler::GetMetricsRequest request;
    *request.mutable_scaledobjectref() = ref_;
    request.set_metricname(spec.metricspecs_size() == 0 ? "" : spec.metricspecs(0).metricname());
    const Status status = Ask("GetMetrics", request, metrics);
    return status.ok() ? Ask("IsActive", ref_, activity) : status;
  }

  /// REQUIRES: Look was OK.
  [[nodiscard]] const externalscaler::MetricValue& value() const { return metrics.metricvalues(0); }

  void Watch() {
    stream_ = caller_.Ask<externalscaler::IsActiveResponse>(kService + "StreamIsActive", ref_,
                                                            {.patience = kPatience});
  }
  /// The next word of the stream; nullopt: it has ended.
  std::optional<bool> Next() {
    const auto reply = stream_->Next();
    return reply ? std::optional(reply->result()) : std::nullopt;
  }
  /// How the stream has ended.
  Status End() { return stream_->End(); }

  /// The first word of a stream of specs.
  externalscaler::GetMetricSpecResponse WatchSpec() {
    const auto reply =
        caller_.Ask<externalscaler::GetMetricSpecResponse>(kService + "StreamMetricSpec", ref_)
            ->Next();
    EXPECT_TRUE(reply);
    return reply.value_or(externalscaler::GetMetricSpecResponse());
  }

  externalscaler::GetMetricSpecResponse spec;
  externalscaler::GetMetricsResponse metrics;
  externalscaler::IsActiveResponse activity;

 private:
  static inline const std::string kService = "/externalscaler.ExternalScaler/";
  static constexpr std::chrono::seconds kPatience{60};  // one that only a hang takes

  template <typename Request, typename Reply>
  Status Ask(const std::string& method, const Request& request, Reply& answer) {
    auto reply = caller_.Call<Reply>(kService + method, request, {.patience = kPatience});
    if (reply.ok()) answer = *std::move(reply);
    return reply.status();
  }

  Caller caller_;
  externalscaler::ScaledObjectRef ref_;
  std::unique_ptr<OpenCall<externalscaler::ScaledObjectRef, externalscaler::IsActiveResponse>>
      stream_;
};

}  // namespace twofold::testing
