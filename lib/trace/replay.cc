#include "lib/trace/replay.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <memory>
#include <utility>

#include "lib/trace/queue_recorder.h"
#include "lib/trace/text.h"

namespace twofold::queue::trace {
namespace {

constexpr std::size_t kMostQueues = 1024;

/// A queue that lives again. It is recorded like the first time: the two records of a step are the
/// same, byte for byte, or the step differs.
class Revived : public RecordSink {
 public:
  Revived(const proto::QueueBegins& begins, const QueueOptions& options)
      : name_(begins.name()),
        queue_(options, std::make_unique<QueueRecorder>(*this, begins.queue(), name_, options)) {}

  /// False: no such call can have been made.
  bool Make(const proto::Step& step) {
    Input input;
    if (!Advance(step.elapsed_ns()) || !Take(step.input(), last_options_, input)) return false;
    if (!Possible(input)) return false;
    NoEffects effects;
    std::visit([&](const auto& one) { queue_.Step(now_, one, effects); }, input);
    return true;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Of the last step.
  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] const std::string& record() const { return record_; }

 private:
  void Add(std::string_view body) override { record_ = body; }
  [[nodiscard]] bool open() const override { return true; }

  bool Advance(std::int64_t nanoseconds) {
    // Without a sign, as a wrong number may not fit; CanBe then finds it.
    const auto sum = static_cast<std::uint64_t>(now_.time_since_epoch().count()) +
                     static_cast<std::uint64_t>(nanoseconds);
    now_ = Instant(Duration(static_cast<std::int64_t>(sum)));
    return CanBe(now_);
  }

  /// What input::Restore requires.
  [[nodiscard]] bool Possible(const Input& input) const {
    const auto* restore = std::get_if<input::Restore>(&input);
    if (restore == nullptr) return true;
    const Restored& job = restore->restored;
    const bool is_gang = job.options->gang.size > 1;
    return IsDurable(job.job) == job.options->durable && !queue_.core().Find({}, job.job) &&
           (job.options->durable || !is_gang || job.members.empty());
  }

  const std::string name_;
  std::string record_;
  Instant now_{};
  LastOptions last_options_;
  RecordedQueue queue_;  // last: it uses the record
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
    if (*got != RecordReader::Got::kRecord) {
      report_.end = *got == RecordReader::Got::kCut ? TraceEnd::kCut : TraceEnd::kKilled;
      report_.cut_at = static_cast<std::uint64_t>(reader_.offset());
      return absl::OkStatus();
    }
    if (!ParseExactly(reader_.body(), record_)) return Impossible();
    if (record_.has_queue()) return Begin(record_.queue());
    if (record_.has_step()) return Repeat(record_.step());
    if (!record_.has_end()) return Impossible();
    report_.end = TraceEnd::kStopped;
    return absl::OkStatus();
  }

  Status Begin(const proto::QueueBegins& begins) {
    QueueOptions options;
    if (begins.queue() != queues_.size() || queues_.size() == kMostQueues ||
        !Take(begins.options(), options)) {
      return Impossible();
    }
    const std::string name = absl::CHexEscape(begins.name());
    const bool wanted = options_.queue.empty() || options_.queue == begins.name();
    absl::StrAppend(&names_, names_.empty() ? "" : ", ", name);
    queues_.push_back(wanted ? std::make_unique<Revived>(begins, options) : nullptr);
    if (!wanted) return absl::OkStatus();
    ++report_.queues;
    Print(Text(absl::StrCat("queue ", begins.queue(), " '", name, "'"), begins.options()));
    return absl::OkStatus();
  }

  Status Repeat(const proto::Step& step) {
    if (step.queue() >= queues_.size()) return Impossible();
    if (++input_ == 1) first_ = Instant(Duration(step.elapsed_ns()));
    over_ = input_ == options_.until;
    Revived* queue = queues_[step.queue()].get();
    if (queue == nullptr) return absl::OkStatus();
    if (!queue->Make(step)) return Impossible();
    if (options_.print) PrintStep(step, *queue);
    if (queue->record() != reader_.body()) return Differ(step, *queue);
    ++report_.inputs;
    report_.effects += static_cast<std::uint64_t>(step.effects_size());
    return absl::OkStatus();
  }

  Status Differ(const proto::Step& step, const Revived& queue) {
    proto::Record got;
    got.ParseFromString(queue.record());
    report_.difference = {input_,
                          queue.now() - first_,
                          queue.name(),
                          Text(step.input()),
                          OutputLines(step),
                          OutputLines(got.step())};
    over_ = true;
    return absl::OkStatus();
  }

  void PrintStep(const proto::Step& step, const Revived& queue) {
    const std::string options = OptionsText(step.input());
    if (!options.empty() && options != printed_) Print(printed_ = options);
    Print(absl::StrCat(input_, " ", SecondsText(queue.now() - first_), " ",
                       absl::CHexEscape(queue.name()), " ", Text(step.input())));
    for (const std::string& output : OutputLines(step)) Print("    " + output);
  }

  void Print(const std::string& line) {
    if (options_.print) options_.print(line);
  }

  [[nodiscard]] Status Impossible() const {
    return reader_.Damaged("the record has values that cannot be");
  }

  RecordReader reader_;
  const ReplayOptions& options_;
  proto::Record record_;
  std::vector<std::unique_ptr<Revived>> queues_;  // by number; nullptr: not wanted
  std::string names_;
  std::string printed_;  // options
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
