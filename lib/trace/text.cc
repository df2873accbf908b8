#include "lib/trace/text.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <concepts>
#include <type_traits>

#include "lib/trace/take.h"

namespace twofold::queue::trace {
namespace {

constexpr std::size_t kLongText = 256;

const char* Word(Outcome outcome) { return Name(outcome).data(); }

const char* Word(Spread spread) { return spread == Spread::kNode ? "node" : "any"; }

const char* Word(Admission admission) {
  static constexpr const char* kWords[] = {"accepted", "full", "draining", "held"};
  return kWords[static_cast<std::size_t>(admission)];
}

template <typename T>
concept HasWord = Is<T, Outcome> || Is<T, Spread> || Is<T, Admission>;

/// Appends " name=value" for each field.
class Show {
 public:
  explicit Show(std::string& out) : out_(out) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    absl::StrAppend(&out_, " ", name, "=");
    Value(value);
  }

 private:
  void Value(bool value) { out_ += value ? "yes" : "no"; }
  template <typename T>
  requires std::is_integral_v<T>
  void Value(T value) { out_ += std::to_string(value); }
  void Value(HasWord auto word) { out_ += Word(word); }
  template <typename T>
  requires(std::is_enum_v<T> && !HasWord<T>) void Value(T id) {
    out_ += std::to_string(static_cast<std::uint64_t>(id));
  }
  void Value(Duration duration) { out_ += SecondsText(duration); }
  void Value(Instant instant) { Value(instant.time_since_epoch()); }
  void Value(const std::string& bytes) { Value(std::string_view(bytes)); }
  void Value(std::string_view bytes) {
    if (bytes.size() > kLongText) return Value(bytes.size(), Digest(bytes));
    absl::StrAppend(&out_, "'", absl::CHexEscape(std::string(bytes)), "'");
  }
  void Value(const Passed& passed) {
    if (passed.size > Passed::kVerbatim) return Value(passed.size, passed.digest);
    Value(passed.verbatim);
  }
  void Value(std::uint64_t size, std::uint64_t digest) {
    absl::StrAppend(&out_, size, "B");
    Value(Fingerprint{digest});
  }
  void Value(Fingerprint fingerprint) {
    absl::StrAppendFormat(&out_, "#%016x", fingerprint.digest);
  }
  void Value(const std::shared_ptr<const JobOptions>& options) {
    Value(Fingerprint{OptionsTable().DigestOf(*options)});
  }
  template <typename T>
  void Value(const std::vector<T>& values) {
    out_ += '[';
    for (const T& value : values) {
      out_ += '{';
      VisitFields(*this, value);
      out_ += " }";
    }
    out_ += ']';
  }

  std::string& out_;
};

template <typename Any>
std::string RowText(const Any& any) {
  return std::visit(
      [](const auto& row) {
        std::string text(row.kName);
        Show show(text);
        VisitFields(show, row);
        return text;
      },
      any);
}

}  // namespace

std::string Text(const Input& input) { return RowText(input); }

std::string Text(const AnyOutput& output) { return RowText(output); }

std::string Text(std::uint64_t number, const TracedLine& queue) {
  std::string text = absl::StrCat("queue ", number, " '", absl::CHexEscape(queue.name), "'");
  Show show(text);
  VisitFields(show, queue.options);
  return text;
}

std::string Text(const OptionsTable::Entry& entry) {
  std::string text = absl::StrFormat("options #%016x", entry.digest);
  Show show(text);
  VisitFields(show, *entry.options);
  return text;
}

std::optional<std::vector<std::string>> OutputLines(std::string_view outputs) {
  const OptionsTable none;  // outputs have fingerprints only
  std::vector<std::string> lines;
  Decoder from(outputs);
  while (!from.left().empty()) {
    AnyOutput output;
    TakeRow(from, none, output);
    if (!from.ok()) return std::nullopt;
    lines.push_back(Text(output));
  }
  return lines;
}

std::string SecondsText(Duration duration) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t count = duration.count();
  const char* sign = count < 0 ? "-" : "";
  return absl::StrFormat("%s%d.%09d", sign, std::abs(count / kSecond), std::abs(count % kSecond));
}

}  // namespace twofold::queue::trace
