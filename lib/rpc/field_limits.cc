#include "lib/rpc/field_limits.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/common/mutex.h"

namespace twofold::rpc {

namespace pb = google::protobuf;

/// A field that has a limit, or that is a message with such fields.
struct Bound {
  const pb::FieldDescriptor* field;
  std::size_t bytes;         ///< 0: no limit
  std::size_t count;         ///< 0: no limit
  const TypeLimits* inside;  ///< nullptr: nothing to look at
};

struct TypeLimits {
  std::vector<Bound> bounds;  ///< in the order of the proto
  /// By a field's number: 1 + its place in `bounds`; 0: it has none.
  std::vector<std::uint8_t> places;
};

namespace {

bool IsMessage(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
}

bool IsText(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING;
}

using KnownLimits = std::unordered_map<const pb::Descriptor*, TypeLimits>;

void AddBound(TypeLimits& limits, const Bound& bound) {
  limits.bounds.push_back(bound);
  const auto number = static_cast<std::size_t>(bound.field->number());
  if (limits.places.size() <= number) limits.places.resize(number + 1);
  limits.places[number] = static_cast<std::uint8_t>(limits.bounds.size());
}

/// Those of the type and of all that are inside.
const TypeLimits& Find(const pb::Descriptor& type, KnownLimits& known) {
  const auto [entry, is_new] = known.try_emplace(&type);
  TypeLimits& limits = entry->second;  // stays where it is when others are added
  if (!is_new) return limits;
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    const v1::FieldLimit& limit = field.options().GetExtension(v1::limit);
    const bool has_inside = IsMessage(field) && !field.is_map();
    const TypeLimits* inside = has_inside ? &Find(*field.message_type(), known) : nullptr;
    if (inside != nullptr && inside->bounds.empty()) inside = nullptr;
    const std::size_t bytes = limit.has_bytes() ? static_cast<std::size_t>(limit.bytes()) : 0;
    if (bytes == 0 && limit.count() == 0 && inside == nullptr) continue;
    AddBound(limits, {&field, bytes, limit.count(), inside});
  }
  return limits;
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

  [[nodiscard]] Status Check(const TypeLimits& limits) const {
    for (const Bound& bound : limits.bounds) {
      const Status status = bound.field->is_repeated() ? CheckRepeated(bound) : CheckOne(bound);
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
    return bound.inside == nullptr ? absl::OkStatus()
                                   : Walk(inside, *this, *bound.field).Check(*bound.inside);
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

/// The fields of a message as they come, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  struct Field {
    std::uint64_t number;
    std::uint64_t type;
    std::string_view bytes;  ///< of kBytes
  };

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  /// nullopt: it is cut off, or one of a group.
  std::optional<Field> Next() {
    const auto tag = Varint();
    if (!tag) return std::nullopt;
    Field field{*tag >> 3, *tag & 7, {}};
    switch (field.type) {
      case kVarint:
        return Varint() ? std::optional(field) : std::nullopt;
      case kFixed64:
        return Skip(8) ? std::optional(field) : std::nullopt;
      case kFixed32:
        return Skip(4) ? std::optional(field) : std::nullopt;
      case kBytes: {
        const auto size = Varint();
        field.bytes = rest_.substr(0, size.value_or(0));
        return size && Skip(*size) ? std::optional(field) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<std::uint64_t> Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  bool Skip(std::uint64_t bytes) {
    if (bytes > rest_.size()) return false;
    rest_.remove_prefix(bytes);
    return true;
  }

  std::string_view rest_;
};

constexpr std::size_t kMostBounds = 32;
constexpr int kDeepest = 16;

/// Whether a further entry, or as many as fit `bytes`, may be there, `had` being there already.
bool HasRoom(const Bound& bound, const Fields::Field& field, std::size_t& had) {
  const bool is_message = IsMessage(*bound.field);
  const bool is_list = field.type == Fields::kBytes && !is_message && !IsText(*bound.field);
  had += is_list ? field.bytes.size() : 1;
  if (bound.field->is_repeated()) return bound.count == 0 || had <= bound.count;
  return had == 1 || !is_message;  // of two messages their parts add up
}

bool Fits(std::string_view bytes, const TypeLimits& type, int depth) {
  std::array<std::size_t, kMostBounds> had{};
  if (type.bounds.size() > kMostBounds || depth > kDeepest) return false;
  for (Fields fields(bytes); !fields.empty();) {
    const auto field = fields.Next();
    if (!field) return false;
    const std::size_t place = field->number < type.places.size() ? type.places[field->number] : 0;
    if (place == 0) continue;
    const Bound& bound = type.bounds[place - 1];
    if (!HasRoom(bound, *field, had[place - 1])) return false;
    if (bound.bytes > 0 && field->bytes.size() > bound.bytes) return false;
    if (bound.inside != nullptr && !Fits(field->bytes, *bound.inside, depth + 1)) return false;
  }
  return true;
}

}  // namespace

Status CheckLimits(const pb::Message& message) {
  return Walk(message).Check(LimitsOf(*message.GetDescriptor()));
}

const TypeLimits& LimitsOf(const pb::Descriptor& type) {
  static Mutex mutex;
  static KnownLimits known;
  const MutexLock lock(mutex);
  return Find(type, known);
}

bool SurelyFits(std::string_view bytes, const TypeLimits& type) { return Fits(bytes, type, 0); }

}  // namespace twofold::rpc
