#include "lib/words/measurement.h"

#include <absl/strings/str_cat.h>

namespace twofold {
namespace {

// " direction=reverse stream=1"
std::string DimensionsText(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions) {
  std::string text;
  for (const v1::Dimension& dimension : dimensions) {
    absl::StrAppend(&text, " ", dimension.name(), "=", dimension.value());
  }
  return text;
}

}  // namespace

std::string MeasurementText(const v1::Measurement& one) {
  return absl::StrCat(one.name(), DimensionsText(one.dimensions()), ": ", one.value(),
                      one.unit().empty() ? "" : " ", one.unit(), one.at().empty() ? "" : " at",
                      DimensionsText(one.at()));
}

}  // namespace twofold
