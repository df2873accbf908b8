#include "kubernetes/controller/election.h"

#include <utility>

#include "kubernetes/controller/conditions.h"

namespace twofold::controller {
namespace {

using kube::Json;

std::int64_t NumberAt(const Json& object, std::string_view path) {
  const Json* number = kube::At(object, path);
  return number != nullptr && number->is_number_integer() ? number->get<std::int64_t>() : 0;
}

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

}  // namespace

void Election::See(const std::optional<Json>& lease, Instant now) {
  exists_ = lease.has_value();
  if (!lease) {
    holder_.clear();
    version_.clear();
    return;
  }
  const std::string version = kube::TextAt(*lease, "/metadata/resourceVersion");
  if (version != std::exchange(version_, version)) seen_ = now;
  holder_ = kube::TextAt(*lease, "/spec/holderIdentity");
  transitions_ = NumberAt(*lease, "/spec/leaseTransitions");
  holder_for_ = std::chrono::seconds(NumberAt(*lease, "/spec/leaseDurationSeconds"));
}

std::optional<kube::Call> Election::Claim(Instant now, kube::UnixTime wall) const {
  const bool is_free = holder_.empty() || (seen_ && now >= *seen_ + holder_for_);
  if (!IsOurs() && !is_free) return std::nullopt;
  Json spec = {{"holderIdentity", options_.identity},
               {"leaseDurationSeconds", WholeSeconds(options_.lease_for)},
               {"renewTime", MicroTimeText(wall)}};
  if (!IsOurs() || !exists_) {
    spec["acquireTime"] = MicroTimeText(wall);
    spec["leaseTransitions"] = exists_ ? transitions_ + 1 : 0;
  }
  return Write(std::move(spec));
}

kube::Call Election::Write(Json spec) const {
  Json metadata = {{"name", options_.lease.name}, {"namespace", options_.lease.space}};
  if (exists_) {
    metadata["resourceVersion"] = version_;
    return kube::Patch(kube::kLeases, options_.lease, kube::PatchKind::kMerge,
                       {{"metadata", metadata}, {"spec", spec}});
  }
  return kube::Create(kube::kLeases, {{"apiVersion", kube::ApiVersion(kube::kLeases)},
                                      {"kind", kube::kLeases.kind},
                                      {"metadata", metadata},
                                      {"spec", spec}});
}

void Election::Claimed(const Json& answer, Instant sent) {
  See(answer, sent);
  if (IsOurs()) renewed_ = sent;
}

std::optional<Instant> Election::LeadsUntil() const {
  if (!IsOurs() || !renewed_) return std::nullopt;
  return *renewed_ + options_.renew_within;
}

bool Election::Leads(Instant now) const {
  const auto until = LeadsUntil();
  return until && now < *until;
}

std::optional<kube::Call> Election::Release(Instant now, kube::UnixTime wall) const {
  if (!Leads(now)) return std::nullopt;
  return Write(
      {{"holderIdentity", ""}, {"leaseDurationSeconds", 1}, {"renewTime", MicroTimeText(wall)}});
}

}  // namespace twofold::controller
