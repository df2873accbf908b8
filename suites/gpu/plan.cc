#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <charconv>
#include <string>
#include <utility>

#include "lib/suite/spec.h"
#include "suites/gpu/gpu.h"

namespace twofold::suite::gpu {
namespace {

using Spec = v1::suites::GpuSpec;

constexpr std::uint64_t kLeastSize = 4096;
constexpr std::uint64_t kMostSize = std::uint64_t{32} << 30U;  // elements are counted in 32 bits
constexpr std::uint64_t kStep = 4;
constexpr std::size_t kMostDevice = 128;

// Of a size that keeps its rule, such as 64M, in powers of 1024; UINT64_MAX if it is too large.
std::uint64_t Bytes(std::string_view text) {
  constexpr std::string_view kUnits = "kmg";
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end == last) return UINT64_MAX;
  const std::size_t shift = 10 * (kUnits.find(static_cast<char>(*end | 0x20)) + 1);
  return value > (kMostSize >> shift) ? UINT64_MAX : value << shift;
}

Status CheckSize(std::string_view field, const std::string& text) {
  const std::uint64_t bytes = Bytes(text);
  if (kLeastSize <= bytes && bytes <= kMostSize && bytes % kLeastSize == 0) return absl::OkStatus();
  return Wrong(field, absl::StrCat("'", text, "' is not a multiple of 4k, from 4k to 32G"));
}

Status CheckSizes(const Spec& spec) {
  Status status = CheckSize("size", spec.size());
  if (!status.ok() || spec.min_size().empty()) return status;
  status = CheckSize("minSize", spec.min_size());
  if (!status.ok() || Bytes(spec.min_size()) <= Bytes(spec.size())) return status;
  return Wrong("minSize", "is more than size");
}

Status CheckTogether(const Spec& spec) {
  if (Status status = CheckSizes(spec); !status.ok()) return status;
  if (spec.iterations() > 0 && spec.has_seconds()) {
    return Wrong("seconds", "give iterations or seconds, not both");
  }
  const bool endless = spec.iterations() == 0 && spec.seconds() <= 0;
  if (endless) return Wrong("seconds", "0, and iterations are not given: there is nothing to do");
  if (spec.gflop() <= 0) return Wrong("gflop", "is not more than 0");
  const auto shares =
      spec.compute_share() + spec.memory_share() + spec.transfer_share() + spec.launch_share();
  if (spec.work() == "mixed" && shares == 0) return Wrong("computeShare", "all shares are 0");
  if (spec.device().size() > kMostDevice) return Wrong("device", "has more than 128 characters");
  return absl::OkStatus();
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json, CheckTogether); }

std::vector<std::uint64_t> Sizes(const Spec& spec) {
  const std::uint64_t most = Bytes(spec.size());
  std::vector<std::uint64_t> sizes;
  if (!spec.min_size().empty() && spec.work() != "mixed") {
    for (std::uint64_t size = Bytes(spec.min_size()); size < most; size *= kStep) {
      sizes.push_back(size);
    }
  }
  sizes.push_back(most);
  return sizes;
}

GangPlan Plan(const Spec& spec, const Gang&) {
  std::string json;  // what was given, and no defaults; such a message always has one
  static_cast<void>(google::protobuf::util::MessageToJsonString(spec, &json));
  GangPlan plan;
  plan.ranks.emplace_back().stages.push_back(
      {.name = "twofold-gpu", .argv = {"twofold-gpu", json}});
  return plan;
}

}  // namespace twofold::suite::gpu
