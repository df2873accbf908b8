#include "kubernetes/lifecycle/moments/stamps.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <string>

#include "kubernetes/lifecycle/moments/kind.h"

namespace twofold::lifecycle {
namespace {

constexpr std::int64_t kNsPerUs = 1000;
constexpr std::int64_t kEndUs = (std::int64_t{1} << 33) * 1'000'000;

std::optional<std::int64_t> ReadStamp(const Object& annotations, std::string_view name) {
  const auto found = annotations.find(std::string(name));
  if (found == annotations.end() || !found->is_string()) return std::nullopt;
  std::int64_t us = 0;
  if (!absl::SimpleAtoi(found->get<std::string>(), &us) || us < 0 || us >= kEndUs) {
    return std::nullopt;
  }
  return us * kNsPerUs;
}

}  // namespace

void Stamp(Object& object, const Stamps& stamps) {
  Object& metadata = object["metadata"];
  if (!metadata.is_object()) return;
  Object& annotations = metadata["annotations"];
  if (!annotations.is_object() && !annotations.is_null()) return;
  const auto put = [&](std::string_view name, std::optional<std::int64_t> ns) {
    if (ns) annotations[std::string(name)] = absl::StrCat(*ns / kNsPerUs);
  };
  put(kPlannedStamp, stamps.planned_ns);
  put(kSentStamp, stamps.sent_ns);
}

Stamps StampsOf(const Object& object) {
  const Object* const annotations = At(object, "/metadata/annotations");
  if (annotations == nullptr || !annotations->is_object()) return {};
  return {ReadStamp(*annotations, kPlannedStamp), ReadStamp(*annotations, kSentStamp)};
}

}  // namespace twofold::lifecycle
