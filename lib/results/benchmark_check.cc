#include "lib/results/benchmark_check.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace twofold::results {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// What a text has to be.
enum class TextKind {
  kName,      ///< what tables and command lines show as a word: short and printable
  kRequired,  ///< a name that is there
  kLong,      ///< for people
  kAny,
};

constexpr int kAnyNumber = std::numeric_limits<int>::max();
constexpr std::size_t kNameBytes = 253;
constexpr std::size_t kLongBytes = 4'096;

struct Rule {
  const char* field;  ///< "Measurement.name"
  TextKind text = TextKind::kName;
  int most = kAnyNumber;  ///< entries of a list
};

// A report has at most 256 KiB on the wire; these keep a hostile one from making a hundred thousand
// rows of them, and tables readable. A text that is not listed is a name.
constexpr Rule kRules[] = {
    {.field = "BenchmarkResult.suite", .text = TextKind::kRequired},
    {.field = "BenchmarkResult.measurements", .most = 10'000},
    {.field = "BenchmarkResult.series", .most = 1'000},
    {.field = "BenchmarkResult.failures", .most = 10'000},
    {.field = "BenchmarkResult.ranks", .most = 4'096},
    {.field = "BenchmarkResult.left_out", .most = 1'000},
    {.field = "Dimension.name", .text = TextKind::kRequired},
    {.field = "Measurement.name", .text = TextKind::kRequired},
    {.field = "Measurement.dimensions", .most = 16},
    {.field = "Measurement.at", .most = 16},
    {.field = "Series.name", .text = TextKind::kRequired},
    {.field = "Series.dimensions", .most = 16},
    {.field = "Series.columns", .most = 64},
    {.field = "Column.name", .text = TextKind::kRequired},
    {.field = "PartFailure.reason", .text = TextKind::kLong},
    {.field = "RankRecord.image", .text = TextKind::kLong},
    {.field = "RankRecord.stages", .most = 1'000},
    {.field = "StageRecord.argv", .text = TextKind::kAny},
    {.field = "StageRecord.error", .text = TextKind::kLong},
    {.field = "StageRecord.files", .most = 98},  // with stdout and stderr 100
    {.field = "Artifact.name", .text = TextKind::kLong},
    {.field = "Artifact.zstd", .text = TextKind::kAny},
};

/// What is checked of a field. Fields with nothing to check have none.
struct FieldRule;
using MessageRules = std::vector<FieldRule>;

struct FieldRule {
  const FieldDescriptor* field = nullptr;
  TextKind text = TextKind::kName;
  int most = kAnyNumber;
  const MessageRules* inside = nullptr;  ///< of a message
};

Rule RuleOf(const FieldDescriptor& field) {
  const std::string name = field.containing_type()->name() + "." + field.name();
  const auto* const found = std::find_if(std::begin(kRules), std::end(kRules),
                                         [&](const Rule& rule) { return name == rule.field; });
  return found == std::end(kRules) ? Rule{.field = ""} : *found;
}

/// Adds the rules of a type, and of all that it has.
const MessageRules* AddRules(const google::protobuf::Descriptor& type,
                             std::map<const google::protobuf::Descriptor*, MessageRules>& all) {
  const auto [place, is_new] = all.try_emplace(&type);
  MessageRules& rules = place->second;
  for (int i = 0; is_new && i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const Rule rule = RuleOf(field);
    const bool is_message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool is_text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const bool is_number = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
        AddRules(*field.message_type(), all)->empty()) {
      continue;  // numbers of a clock
    }
    if (is_message || is_number || (is_text && rule.text != TextKind::kAny)) {
      rules.push_back({&field, rule.text, rule.most,
                       is_message ? AddRules(*field.message_type(), all) : nullptr});
    }
  }
  return &rules;
}

/// Found out once, as looking it up for each field of each result takes longer than checking it.
const MessageRules& ResultRules() {
  static std::map<const google::protobuf::Descriptor*, MessageRules> all;
  static const MessageRules& rules = *AddRules(*v1::BenchmarkResult::descriptor(), all);
  return rules;
}

/// Walks through a message until something is wrong, and keeps what, and where:
/// "ranks[1].stages[0].name is empty". Where is put into words only then, as nearly all results are
/// right.
class Checker {
 public:
  [[nodiscard]] const Status& status() const { return status_; }

  void CheckMessage(const Message& message, const MessageRules& rules) {
    static const auto* const series = v1::Series::descriptor();
    const auto& reflection = *message.GetReflection();
    for (const FieldRule& rule : rules) {
      if (!status_.ok()) return;
      CheckField(message, reflection, rule);
    }
    if (rules.front().field->containing_type() == series) {
      CheckRows(static_cast<const v1::Series&>(message));
    }
  }

 private:
  void CheckField(const Message& message, const Reflection& reflection, const FieldRule& rule) {
    static const auto* const dimension = v1::Dimension::descriptor();
    const FieldDescriptor& field = *rule.field;
    if (!field.is_repeated()) return CheckValue(message, reflection, rule, -1);
    const int size = reflection.FieldSize(message, &field);
    if (size > rule.most) {
      return Wrong(field, absl::StrCat("has ", size, " entries; at most ", rule.most));
    }
    for (int i = 0; i < size && status_.ok(); ++i) CheckValue(message, reflection, rule, i);
    if (field.message_type() == dimension) CheckNames(message, reflection, field, size);
  }

  /// `index` in a list; -1: it is none.
  void CheckValue(const Message& message, const Reflection& reflection, const FieldRule& rule,
                  int index) {
    const FieldDescriptor& field = *rule.field;
    const bool listed = index >= 0;
    if (rule.inside != nullptr) {
      if (!listed && !reflection.HasField(message, &field)) return;
      path_.emplace_back(&field, index);
      CheckMessage(listed ? reflection.GetRepeatedMessage(message, &field, index)
                          : reflection.GetMessage(message, &field),
                   *rule.inside);
      path_.pop_back();
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
      const double value = listed ? reflection.GetRepeatedDouble(message, &field, index)
                                  : reflection.GetDouble(message, &field);
      if (!std::isfinite(value)) Wrong(field, "is not finite");
    } else {
      std::string none;
      CheckText(rule, listed ? reflection.GetRepeatedStringReference(message, &field, index, &none)
                             : reflection.GetStringReference(message, &field, &none));
    }
  }

  void CheckText(const FieldRule& rule, const std::string& text) {
    const FieldDescriptor& field = *rule.field;
    const std::size_t most = rule.text == TextKind::kLong ? kLongBytes : kNameBytes;
    if (text.size() > most) {
      return Wrong(field, absl::StrCat("has ", text.size(), " bytes; at most ", most));
    }
    if (rule.text == TextKind::kLong) return;
    if (rule.text == TextKind::kRequired && text.empty()) return Wrong(field, "is empty");
    const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
    if (std::any_of(text.begin(), text.end(), control)) Wrong(field, "has a control character");
  }

  /// Of a list of dimensions, which are few.
  void CheckNames(const Message& message, const Reflection& reflection,
                  const FieldDescriptor& field, int size) {
    const auto name = [&](int i) -> const std::string& {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      return static_cast<const v1::Dimension&>(entry).name();
    };
    for (int i = 1; i < size; ++i) {
      for (int before = 0; before < i; ++before) {
        if (name(before) == name(i)) return Wrong(field, "has a name twice");
      }
    }
  }

  void CheckRows(const v1::Series& series) {
    const int columns = series.columns_size();
    if (columns == 0 ? series.values_size() > 0 : series.values_size() % columns != 0) {
      Wrong(*series.GetDescriptor()->FindFieldByName("values"), "are no whole rows");
    }
  }

  void Wrong(const FieldDescriptor& field, const std::string& what) {
    if (!status_.ok()) return;
    std::string where;
    for (const auto& [parent, index] : path_) {
      absl::StrAppend(&where, parent->name(), index < 0 ? "" : absl::StrCat("[", index, "]"), ".");
    }
    status_ = absl::InvalidArgumentError(absl::StrCat(where, field.name(), " ", what));
  }

  std::vector<std::pair<const FieldDescriptor*, int>> path_;
  Status status_;
};

}  // namespace

Status Check(const v1::BenchmarkResult& result) {
  Checker checker;
  checker.CheckMessage(result, ResultRules());
  return checker.status();
}

}  // namespace twofold::results
