#include "lib/trace/replay.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <memory>
#include <utility>

#include "lib/queue/queue.h"
#include "lib/trace/effects_encoder.h"
#include "lib/trace/text.h"
#include "lib/trace/trace_decoder.h"
#include "lib/trace/trace_reader.h"

namespace twofold::queue::trace {
namespace {

/// A queue that lives again, and what came of its last call.
class Revived {
 public:
  explicit Revived(const TracedLine& line) : queue_(line.options), encoder_(outputs_, line.table) {}

  /// False: no such call can have been made.
  bool Make(const Step& step) {
    if (!Possible(step.input)) return false;
    outputs_.clear();
    std::visit([&](const auto& input) { Perform(input, queue_, step.now, encoder_); }, step.input);
    return true;
  }

  [[nodiscard]] const std::string& outputs() const { return outputs_; }
  [[nodiscard]] std::uint64_t effects() const { return encoder_.count(); }

 private:
  /// What input::Restore requires.
  [[nodiscard]] bool Possible(const Input& input) const {
    const auto* restore = std::get_if<input::Restore>(&input);
    if (restore == nullptr) return true;
    const auto job = restore->restored.job;
    const bool durable = (static_cast<std::uint64_t>(job) & kDurableBit) != 0;
    return durable && restore->restored.options->durable && !queue_.Find({}, job);
  }

  Queue queue_;
  std::string outputs_;
  EffectsEncoder encoder_;
};

class Replayer {
 public:
  Replayer(std::istream& in, const ReplayOptions& options) : reader_(in), options_(options) {}

  Result<ReplayReport> Run() {
    if (Status status = reader_.ReadHeader(); !status.ok()) return status;
    while (report_.end == TraceEnd::kNotRead && !over_) {
      const Status status = ReplayRecord();
      if (!status.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(status.message(), "; the ", report_.inputs,
                                                       " inputs before were reproduced"));
      }
    }
    if (!options_.queue.empty() && report_.queues == 0) {
      return absl::NotFoundError(
          absl::StrCat("the trace has no queue '", options_.queue, "', only: ", names_));
    }
    return std::move(report_);
  }

 private:
  Status ReplayRecord() {
    const auto got = reader_.Next();
    if (!got.ok()) return got.status();
    if (*got != TraceReader::Got::kRecord) {
      report_.end = *got == TraceReader::Got::kCut ? TraceEnd::kCut : TraceEnd::kKilled;
      report_.cut_at = reader_.offset();
      return absl::OkStatus();
    }
    auto event = decoder_.Decode(reader_.body());
    if (!event.ok()) return Damaged(std::string(event.status().message()));
    return std::visit([this](const auto& what) { return On(what); }, *event);
  }

  Status On(const QueueBegins& begins) {
    const TracedLine& line = decoder_.queue(begins.queue);
    const bool wanted = options_.queue.empty() || options_.queue == line.name;
    absl::StrAppend(&names_, names_.empty() ? "" : ", ", line.name);
    queues_.push_back(wanted ? std::make_unique<Revived>(line) : nullptr);
    if (!wanted) return absl::OkStatus();
    ++report_.queues;
    Print([&] { return Text(begins.queue, line); });
    return absl::OkStatus();
  }

  Status On(const OptionsBegin& begin) {
    if (queues_[begin.queue] == nullptr) return absl::OkStatus();
    Print([&] { return Text(*decoder_.queue(begin.queue).table.At(begin.number)); });
    return absl::OkStatus();
  }

  Status On(const Step& step) {
    ++input_;
    if (input_ == 1) first_ = step.now;
    over_ = input_ == options_.until;
    Revived* queue = queues_[step.queue].get();
    if (queue == nullptr) return absl::OkStatus();
    const std::uint64_t effects = queue->effects();
    if (!queue->Make(step)) return Damaged("a job that cannot be restored");
    if (options_.print) PrintStep(step);
    if (queue->outputs() != step.outputs) return Differ(step, queue->outputs());
    ++report_.inputs;
    report_.effects += queue->effects() - effects;
    return absl::OkStatus();
  }

  Status On(const TraceEnds&) {
    report_.end = TraceEnd::kStopped;
    return absl::OkStatus();
  }

  Status Differ(const Step& step, std::string_view outputs) {
    auto expected = OutputLines(step.outputs);
    if (!expected) return Damaged("effects that cannot be read");
    report_.difference = {input_,           step.now - first_,    decoder_.queue(step.queue).name,
                          Text(step.input), *std::move(expected), OutputLines(outputs).value()};
    over_ = true;
    return absl::OkStatus();
  }

  void PrintStep(const Step& step) {
    const TracedLine& line = decoder_.queue(step.queue);
    options_.print(absl::StrCat(input_, " ", SecondsText(step.now - first_), " ",
                                absl::CHexEscape(line.name), " ", Text(step.input)));
    for (const std::string& output :
         OutputLines(step.outputs).value_or(std::vector<std::string>())) {
      options_.print("    " + output);
    }
  }

  template <typename MakeText>
  void Print(MakeText make_text) {
    if (options_.print) options_.print(make_text());
  }

  [[nodiscard]] Status Damaged(const std::string& how) const {
    return absl::InvalidArgumentError(
        absl::StrCat("damaged at byte ", reader_.offset(), ": ", how));
  }

  TraceReader reader_;
  const ReplayOptions& options_;
  TraceDecoder decoder_;
  std::vector<std::unique_ptr<Revived>> queues_;  // by number; nullptr: not wanted
  std::string names_;
  ReplayReport report_;
  std::uint64_t input_ = 0;
  Instant first_{};
  bool over_ = false;
};

std::string EndText(const ReplayReport& report) {
  switch (report.end) {
    case TraceEnd::kStopped:
      return "the trace is complete: the frontend stopped in order";
    case TraceEnd::kKilled:
      return "the trace has no end: the frontend was killed, or could not go on writing";
    case TraceEnd::kCut:
      return absl::StrCat("the trace ends within a record, at byte ", report.cut_at,
                          ": the frontend was killed; replayed up to there");
    case TraceEnd::kNotRead:
      break;
  }
  return "the rest of the trace was not read";
}

void AppendLines(std::string& text, const char* sign, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) absl::StrAppend(&text, "  ", sign, " ", line, "\n");
}

}  // namespace

Result<ReplayReport> Replay(std::istream& in, const ReplayOptions& options) {
  return Replayer(in, options).Run();
}

std::string Text(const ReplayReport& report) {
  const std::string counts =
      absl::StrCat(report.inputs, " inputs, ", report.effects, " effects, queues: ", report.queues);
  if (!report.difference) return absl::StrCat("reproduced: ", counts, "\n", EndText(report), "\n");
  const Difference& difference = *report.difference;
  std::string text = absl::StrCat(
      "differs at input ", difference.input, ", ", SecondsText(difference.time), " s, queue ",
      absl::CHexEscape(difference.queue), ":\n    ", difference.call, "\n");
  AppendLines(text, "- expected", difference.expected);
  AppendLines(text, "+ got     ", difference.got);
  return absl::StrCat(text, "reproduced before it: ", counts, "\n");
}

}  // namespace twofold::queue::trace
