#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the load client and the frontend answer, read by keys. Pure.
namespace twofold::validate {

/// The whole of `text` as a number, "inf" too; nullopt: it is none, as "-" or "nan".
std::optional<double> NumberOf(const std::string& text);

/// An answer of the load client: a `key value` a line.
class Answer {
 public:
  Answer() = default;
  explicit Answer(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The value of the first line with this key; empty: there is none.
  [[nodiscard]] std::string Text(std::string_view key) const;
  [[nodiscard]] std::optional<double> Number(std::string_view key) const;

  /// The values of all lines with this key.
  [[nodiscard]] std::vector<std::string> All(std::string_view key) const;

 private:
  std::string text_;
};

/// The sum of a family over the shards of a queue, in pages of metrics in a row; nullopt: none has
/// the queue.
std::optional<double> SumOf(const std::string& metrics, std::string_view family,
                            std::string_view queue);

/// "0.1.0 (5f3c2ab)", the version and commit of who wrote the page; empty: it does not say.
std::string BuildOf(const std::string& metrics);

/// What workers have used so far, seconds.
struct Used {
  double cpu = 0;
  double throttled = 0;
  double reported = 0;  ///< how long the workers' reports cover
};
Used UsedBy(const std::string& metrics, std::string_view queue);

/// What workers used between two readings.
struct Busy {
  double cores = 0;      ///< that all workers together kept busy
  double throttled = 0;  ///< share of the time in which a quota held a worker up, 0..1
};
/// nullopt: no worker has reported anything since.
std::optional<Busy> Between(const Used& before, const Used& after, int workers);

}  // namespace twofold::validate
