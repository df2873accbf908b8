#include "lib/results/benchmark_check.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace twofold::results {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

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

using Rules = absl::flat_hash_map<const FieldDescriptor*, Rule>;

Rules FindFields() {
  Rules rules;
  const auto& file = *v1::BenchmarkResult::descriptor()->file();
  for (const Rule& rule : kRules) {
    const std::string name = rule.field;
    const std::size_t dot = name.find('.');
    rules.emplace(
        file.FindMessageTypeByName(name.substr(0, dot))->FindFieldByName(name.substr(dot + 1)),
        rule);
  }
  return rules;
}

Rule RuleOf(const FieldDescriptor& field) {
  static const Rules rules = FindFields();
  const auto found = rules.find(&field);
  return found == rules.end() ? Rule{.field = ""} : found->second;
}

/// Walks through a message until something is wrong, and keeps what, and where:
/// "ranks[1].stages[0].name is empty". Where is put into words only then, as nearly all results are
/// right.
class Checker {
 public:
  [[nodiscard]] const Status& status() const { return status_; }

  void CheckMessage(const Message& message) {
    const auto& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count() && status_.ok(); ++i) {
      CheckField(message, *type.field(i));
    }
    if (&type == v1::Series::descriptor()) {
      CheckRows(static_cast<const v1::Series&>(message));
    }
  }

 private:
  void CheckField(const Message& message, const FieldDescriptor& field) {
    const auto& reflection = *message.GetReflection();
    const Rule rule = RuleOf(field);
    if (!field.is_repeated()) return CheckValue(message, field, rule, -1);
    const int size = reflection.FieldSize(message, &field);
    if (size > rule.most) {
      return Wrong(field, absl::StrCat("has ", size, " entries; at most ", rule.most));
    }
    for (int i = 0; i < size && status_.ok(); ++i) CheckValue(message, field, rule, i);
    if (field.message_type() == v1::Dimension::descriptor()) {
      CheckNames(message, field);
    }
  }

  /// `index` in a list; -1: it is none.
  void CheckValue(const Message& message, const FieldDescriptor& field, const Rule& rule,
                  int index) {
    const auto& reflection = *message.GetReflection();
    const bool listed = index >= 0;
    std::string none;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return CheckText(field, rule,
                         listed
                             ? reflection.GetRepeatedStringReference(message, &field, index, &none)
                             : reflection.GetStringReference(message, &field, &none));
      case FieldDescriptor::CPPTYPE_DOUBLE: {
        const double value = listed ? reflection.GetRepeatedDouble(message, &field, index)
                                    : reflection.GetDouble(message, &field);
        if (!std::isfinite(value)) Wrong(field, "is not finite");
        return;
      }
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (!listed && !reflection.HasField(message, &field)) return;
        path_.emplace_back(&field, index);
        CheckMessage(listed ? reflection.GetRepeatedMessage(message, &field, index)
                            : reflection.GetMessage(message, &field));
        path_.pop_back();
        return;
      default:
        return;
    }
  }

  void CheckText(const FieldDescriptor& field, const Rule& rule, const std::string& text) {
    if (rule.text == TextKind::kAny) return;
    const std::size_t most = rule.text == TextKind::kLong ? kLongBytes : kNameBytes;
    if (text.size() > most) {
      return Wrong(field, absl::StrCat("has ", text.size(), " bytes; at most ", most));
    }
    if (rule.text == TextKind::kLong) return;
    if (rule.text == TextKind::kRequired && text.empty()) return Wrong(field, "is empty");
    const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
    if (std::any_of(text.begin(), text.end(), control)) Wrong(field, "has a control character");
  }

  /// Of a list of dimensions.
  void CheckNames(const Message& message, const FieldDescriptor& field) {
    const auto& reflection = *message.GetReflection();
    std::set<std::string_view> names;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const auto& each =
          static_cast<const v1::Dimension&>(reflection.GetRepeatedMessage(message, &field, i));
      if (!names.insert(each.name()).second) return Wrong(field, "has a name twice");
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
  checker.CheckMessage(result);
  return checker.status();
}

}  // namespace twofold::results
