#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "keda/externalscaler.grpc.pb.h"
#include "cli/channel/channel.h"

namespace twofold::testing {

/// An external-push trigger as KEDA's operator carries it out, with its own stubs.
class Keda {
 public:
  using Metadata = std::map<std::string, std::string>;

  Keda(const std::string& address, const Metadata& metadata,
       const security::Client& client = security::Client())
      : stub_(externalscaler::ExternalScaler::NewStub(cli::Connect(address, client))) {
    ref_.set_name("scaled");
    ref_.set_namespace_("monitoring");
    ref_.mutable_scalermetadata()->insert(metadata.begin(), metadata.end());
    (*ref_.mutable_scalermetadata())["scalerAddress"] = address;
  }
  ~Keda() {
    if (stream_ != nullptr) Break();
  }

  /// The HPA is made from it.
  grpc::Status GetMetricSpec() {
    grpc::ClientContext context;
    SetDeadline(context);
    return stub_->GetMetricSpec(&context, ref_, &spec);
  }

  /// One look of the HPA: the metric by the name of the spec, then whether there is anything to do.
  grpc::Status Look() {
    externalscaler::GetMetricsRequest request;
    *request.mutable_scaledobjectref() = ref_;
    request.set_metricname(spec.metricspecs_size() == 0 ? "" : spec.metricspecs(0).metricname());
    grpc::ClientContext of_metrics;
    SetDeadline(of_metrics);
    const grpc::Status status = stub_->GetMetrics(&of_metrics, request, &metrics);
    if (!status.ok()) return status;
    grpc::ClientContext of_activity;
    SetDeadline(of_activity);
    return stub_->IsActive(&of_activity, ref_, &activity);
  }

  /// REQUIRES: Look was OK.
  [[nodiscard]] const externalscaler::MetricValue& value() const { return metrics.metricvalues(0); }

  void Watch() {
    context_ = std::make_unique<grpc::ClientContext>();
    SetDeadline(*context_);
    stream_ = stub_->StreamIsActive(context_.get(), ref_);
  }
  /// The next word of the stream; nullopt: it has ended.
  std::optional<bool> Next() {
    externalscaler::IsActiveResponse reply;
    return stream_->Read(&reply) ? std::optional(reply.result()) : std::nullopt;
  }
  /// How the stream has ended.
  grpc::Status End() {
    const grpc::Status status = stream_->Finish();
    stream_.reset();
    return status;
  }
  void Break() {
    context_->TryCancel();
    End();
  }

  /// The first word of a stream of specs.
  externalscaler::GetMetricSpecResponse WatchSpec() {
    grpc::ClientContext context;
    SetDeadline(context);
    const auto stream = stub_->StreamMetricSpec(&context, ref_);
    externalscaler::GetMetricSpecResponse reply;
    EXPECT_TRUE(stream->Read(&reply));
    context.TryCancel();
    stream->Finish();
    return reply;
  }

  externalscaler::GetMetricSpecResponse spec;
  externalscaler::GetMetricsResponse metrics;
  externalscaler::IsActiveResponse activity;

 private:
  /// One that only a hang reaches.
  static void SetDeadline(grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  }

  const std::unique_ptr<externalscaler::ExternalScaler::Stub> stub_;
  externalscaler::ScaledObjectRef ref_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReader<externalscaler::IsActiveResponse>> stream_;
};

}  // namespace twofold::testing
