#include "lib/rpc/field_limits.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace twofold::rpc {
namespace {

namespace pb = google::protobuf;

struct Bound;
using Bounds = std::vector<Bound>;

/// A field that has a limit, or that is a message with such fields.
struct Bound {
  const pb::FieldDescriptor* field;
  std::size_t bytes;     ///< 0: no limit
  std::size_t count;     ///< 0: no limit
  const Bounds* inside;  ///< nullptr: nothing to look at
};

bool IsMessage(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
}

bool IsText(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING;
}

/// The bounds of a type of message. Each thread has its own: no lock is needed.
const Bounds& BoundsOf(const pb::Descriptor& type) {
  thread_local std::unordered_map<const pb::Descriptor*, Bounds> known;
  const auto [entry, is_new] = known.try_emplace(&type);
  Bounds& bounds = entry->second;  // stays where it is when others are added
  if (!is_new) return bounds;
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    const v1::FieldLimit& limit = field.options().GetExtension(v1::limit);
    const bool has_inside = IsMessage(field) && !field.is_map();
    const Bounds* inside = has_inside ? &BoundsOf(*field.message_type()) : nullptr;
    if (inside != nullptr && inside->empty()) inside = nullptr;
    const std::size_t bytes = limit.has_bytes() ? static_cast<std::size_t>(limit.bytes()) : 0;
    if (bytes == 0 && limit.count() == 0 && inside == nullptr) continue;
    bounds.push_back({&field, bytes, limit.count(), inside});
  }
  return bounds;
}

Status TooMuch(const std::string& what, std::size_t has, std::size_t most, const char* unit) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has ", has, " ", unit, "; at most ", most, " are allowed"));
}

/// Walks one message.
class Walk {
 public:
  explicit Walk(const pb::Message& message) : message_(message) {}

  /// A message inside.
  Walk(const pb::Message& message, const Walk& around, const pb::FieldDescriptor& field)
      : message_(message), around_(&around), field_(&field) {}

  Status Check() const {
    for (const Bound& bound : BoundsOf(*message_.GetDescriptor())) {
      const pb::FieldDescriptor& field = *bound.field;
      const Status status = field.is_repeated() ? CheckRepeated(bound) : CheckOne(bound);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  /// "hello.node"
  [[nodiscard]] std::string NameOf(const pb::FieldDescriptor& field) const {
    return around_ == nullptr ? field.name()
                              : absl::StrCat(around_->NameOf(*field_), ".", field.name());
  }

  [[nodiscard]] Status CheckOne(const Bound& bound) const {
    if (IsText(*bound.field)) {
      std::string unused;
      return CheckBytes(bound, with_.GetStringReference(message_, bound.field, &unused).size());
    }
    if (!with_.HasField(message_, bound.field)) return absl::OkStatus();
    return CheckMessage(bound, with_.GetMessage(message_, bound.field));
  }

  [[nodiscard]] Status CheckRepeated(const Bound& bound) const {
    const pb::FieldDescriptor& field = *bound.field;
    const auto size = static_cast<std::size_t>(with_.FieldSize(message_, &field));
    if (bound.count > 0 && size > bound.count) {
      return TooMuch(NameOf(*bound.field), size, bound.count, "entries");
    }
    if (bound.bytes == 0 && bound.inside == nullptr) return absl::OkStatus();
    for (int i = 0; i < static_cast<int>(size); ++i) {
      const Status status = CheckEntry(bound, i);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  [[nodiscard]] Status CheckEntry(const Bound& bound, int i) const {
    if (IsText(*bound.field)) {
      std::string unused;
      const std::string& text = with_.GetRepeatedStringReference(message_, bound.field, i, &unused);
      return CheckBytes(bound, text.size());
    }
    const pb::Message& entry = with_.GetRepeatedMessage(message_, bound.field, i);
    return bound.field->is_map() ? CheckPair(bound, entry) : CheckMessage(bound, entry);
  }

  /// Of an entry of a map those that are text.
  [[nodiscard]] Status CheckPair(const Bound& bound, const pb::Message& pair) const {
    const pb::Descriptor& type = *pair.GetDescriptor();
    for (const pb::FieldDescriptor* const part : {type.map_key(), type.map_value()}) {
      if (!IsText(*part)) continue;
      std::string unused;
      const std::size_t size = pair.GetReflection()->GetStringReference(pair, part, &unused).size();
      if (size <= bound.bytes) continue;
      return TooMuch(absl::StrCat("a ", part->name(), " in ", NameOf(*bound.field)), size,
                     bound.bytes, "bytes");
    }
    return absl::OkStatus();
  }

  [[nodiscard]] Status CheckMessage(const Bound& bound, const pb::Message& inside) const {
    if (bound.bytes > 0) {
      const Status status = CheckBytes(bound, inside.ByteSizeLong());
      if (!status.ok()) return status;
    }
    return bound.inside == nullptr ? absl::OkStatus() : Walk(inside, *this, *bound.field).Check();
  }

  [[nodiscard]] Status CheckBytes(const Bound& bound, std::size_t size) const {
    return size <= bound.bytes ? absl::OkStatus()
                               : TooMuch(NameOf(*bound.field), size, bound.bytes, "bytes");
  }

  const pb::Message& message_;
  const pb::Reflection& with_ = *message_.GetReflection();
  const Walk* const around_ = nullptr;
  const pb::FieldDescriptor* const field_ = nullptr;
};

}  // namespace

Status CheckLimits(const pb::Message& message) { return Walk(message).Check(); }

}  // namespace twofold::rpc
