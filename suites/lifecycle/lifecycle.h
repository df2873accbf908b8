#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/common/result.h"
#include "lib/suite/json.h"
#include "lib/suite/suite.h"
#include "suites/lifecycle/spec.pb.h"

/// Workloads of Kubernetes, by `twofold lifecycle run`; see README.md.
namespace twofold::suite::lifecycle {

using Spec = v1::suites::LifecycleSpec;

inline constexpr std::string_view kName = "lifecycle";
inline constexpr std::string_view kKind = "Lifecycle";
inline constexpr std::string_view kStage = "run";  ///< the one that there is
inline constexpr std::string_view kServerLabel = "lifecycle.server";

/// What the rules beside the fields cannot say: fields that exclude each other, the form of texts.
/// Errors   kInvalidArgument "FIELD: why".
Status CheckTogether(const Spec& spec);

Result<Spec> ReadSpec(std::string_view json);

/// Bytes: "2Gi". Errors   kInvalidArgument: what is wrong with it.
Result<std::uint64_t> SizeOf(const std::string& text);

/// Fields that make a run's times those of another load, or of other workloads, and differ from
/// their defaults; named as in JSON.
Dimensions LoadOf(const Spec& spec);

/// The name of the run is made of the gang's, so that no two attempts have the same.
GangPlan Plan(const Spec& spec, const Gang& gang);

Result<Measurements> Parse(const Outputs& outputs);

/// {kServerLabel, "v1.36.1"}, by what the probe has printed.
Result<Labels> Offer(const StageOutput& probe);
inline constexpr std::array<const char*, 3> kProbe = {"twofold", "lifecycle", "server"};

/// What the report of a run says as numbers of a job: the one place that says which numbers those
/// are, and what they are called. What its `load` says (LoadOf) is a dimension of each. `report` is
/// as `lifecycle run --output json` prints it. Errors   kDataLoss: it is not such a report, or not
/// whole; which number is missing.
Result<Measurements> NumbersOf(const Json& report);

}  // namespace twofold::suite::lifecycle
