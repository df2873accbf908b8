#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/suite/suite.h"
#include "suites/object_storage/report.pb.h"
#include "suites/object_storage/spec.pb.h"

/// Object storage with our own twofold-objects (workloads/objects); see README.md.
namespace twofold::suite::object_storage {

/// The spec, checked and completed: `protocol` is set, `bucket` is a name without a scheme, and of
/// `minsize` and `maxsize` both or none. Errors   kInvalidArgument "FIELD: why"; of an option of
/// aisloader that is not taken, its reason.
Result<v1::suites::ObjectStorageSpec> ReadSpec(std::string_view json);

/// Every member runs twofold-objects; they meet at a port of rank 0.
GangPlan Plan(const v1::suites::ObjectStorageSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// Checks what fields say together, and completes them; the second half of ReadSpec.
Status Complete(v1::suites::ObjectStorageSpec& spec);

/// An option of aisloader that is refused, and why.
struct Refusal {
  std::string_view name;
  std::string_view why;
};
std::span<const Refusal> Refusals();

/// Bytes of a size that keeps its rule: "64K", "64KiB" and "64KB" are 65536.
/// Errors   kInvalidArgument "FIELD: ...": more than 2^63 - 1.
Result<std::uint64_t> ParseSize(std::string_view field, std::string_view text);

/// A time that keeps its rule.
Duration TimeOf(std::string_view text);

/// Loaders that share the names of a run: `loadernum`, else `nodecount`.
std::uint32_t Loaders(const v1::suites::ObjectStorageSpec& spec);

}  // namespace twofold::suite::object_storage
