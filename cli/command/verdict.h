#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/result.h"

namespace CLI {
class App;
}

/// What a measurement came to, in few words: the file of --verdict. A pod that has it as its
/// termination message tells its verdict by its status, without its log. Pure, but for Write.
namespace twofold::cli {

/// A number, and the ends of the interval that holds it with 95 %, where they are known.
struct Figure {
  std::string name;  ///< "throughput"
  std::string unit;  ///< "1/s"
  double value = 0;
  std::optional<double> lower{};
  std::optional<double> upper{};
};

struct Verdict {
  std::string verdict;  ///< "pass", "fail", "undecided", "invalid", "interrupted", "none"
  std::string why;      ///< for people
  std::vector<Figure> figures = {};
};

/// What Kubernetes takes of a termination message.
inline constexpr std::size_t kMostOfVerdict = 4096;  ///< bytes

/// {"verdict": ..., "why": ..., "figures": [{"name", "unit", "value", "lower", "upper"}]} as one
/// line. A figure without a value is left out; so are the last ones, and the end of `why`, of what
/// would be longer than kMostOfVerdict.
std::string TextOf(const Verdict& verdict);

/// Errors   kInvalidArgument: it is no such line.
Result<Verdict> ReadVerdict(const std::string& text);

/// --verdict FILE. `path` is empty where it is not given.
void DeclareVerdict(CLI::App& app, std::string& path);

/// Writes into the file as it is, since Kubernetes mounts it into the pod and looks at it there.
/// Does nothing without a path.
///
/// Errors   kInvalidArgument: --verdict, and why it cannot be written.
Status Write(const std::string& path, const Verdict& verdict);

}  // namespace twofold::cli
