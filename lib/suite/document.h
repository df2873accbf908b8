#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/suite/suite.h"

/// What readers of outputs share: a document is one run of a tool, and its lines are as the tool
/// wrote them. docs/readers.md has the rules with examples.
///
/// Threads  Pure.
/// Cost     Linear in the text.
namespace twofold::suite {

/// What has been skipped around and between rows, to be said: Measurements::notes.
class Skipped {
 public:
  void Add(std::string_view line);
  /// "3 lines between its rows were skipped, such as ..."; nothing if there were none.
  void SayIn(std::vector<std::string>& notes) const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

/// What a tool printed, without what others have put around it: a mark of byte order, colours,
/// carriage returns (each ends a line), one prefix of a kind on each line (of kubectl, docker
/// and its compose, container runtimes, journald, mpirun, srun, iperf3), a common indentation,
/// objects of JSON without any of `keys` (Suite::keys) beside others.
/// What is skipped is said in `notes`. Errors   kDataLoss, without a stage: lines of several
/// containers or processes; UTF-16.
Result<std::string> CleanText(std::string_view text, std::vector<std::string>& notes,
                              std::span<const std::string_view> keys = {});

/// Offsets of the lines of `text` for which `begins` holds.
std::vector<std::size_t> LinesWhere(std::string_view text,
                                    const std::function<bool(std::string_view line)>& begins);

/// What a line, or an object of JSON, says of the run that it is of.
enum class Sign : std::uint8_t {
  kNone,
  kBefore,  ///< belongs to a run whose beginning follows it: "iperf 3.12"
  kBegins,
  kResult,  ///< is of a run that has begun: if none has, then one whose beginning is missing
  kEnds,    ///< of a run that has results: what follows is of another
};
struct SignAt {
  std::size_t offset = 0;
  Sign sign = Sign::kNone;
};

/// The signs of the lines of `text`; kNone is left out. `sign_of` gets one line after the other.
std::vector<SignAt> SignsOfLines(std::string_view text,
                                 const std::function<Sign(std::string_view line)>& sign_of);

/// For Suite::runs: where runs begin, also one that lost its beginning (`kubectl logs --tail`)
/// before or after whole ones.
std::vector<std::size_t> RunsBy(std::vector<SignAt> signs);

/// The parts of `text` that begin at `starts`; what stands before the first belongs to it. The
/// whole, if there is no more than one.
std::vector<std::string_view> SplitAtRuns(std::string_view text,
                                          const std::vector<std::size_t>& starts);

/// The error of output that has more than one run: kDataLoss, with the lines at which they begin.
Status SeveralRuns(std::string_view stage, std::string_view text,
                   const std::vector<std::size_t>& starts);

/// Calls a suite's parser under the rules that all suites share: it gets clean text, of one run
/// (`runs`, see Suite::runs; null: not asked; `keys`: Suite::keys), and only plausible numbers get
/// out (KeepPlausible). All rows of the table of suites read by this.
Result<Measurements> ReadBy(Result<Measurements> (*parse)(const Outputs&),
                            std::vector<std::size_t> (*runs)(std::string_view),
                            std::span<const std::string_view> keys, const Outputs& outputs);

}  // namespace twofold::suite
