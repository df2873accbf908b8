#include "lib/load/profile.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "lib/common/arguments.h"
#include "lib/common/printable.h"
#include "lib/rpc/limits.h"
#include "lib/spec/field.h"
#include "lib/yaml/node.h"

namespace twofold::load {
namespace {

using spec::Field;
using yaml::Entry;
using yaml::Fault;
using yaml::Node;
using Fields = std::vector<Field>;

constexpr std::int64_t kMostRepeats = 1000;
constexpr std::int64_t kMostWeight = 1'000'000;
constexpr double kLongestStage = 7 * 86400.0;  // seconds

// ---- what may be written

Fields SineFields() {
  return {
      spec::Required({"amplitude", spec::Number(0, 1'000'000), "", "jobs/s",
                      "how far the rate goes up and down, at most the rate"}),
      spec::Required({"period", spec::Time(), "", "", "from top to top"}),
  };
}

Fields BurstFields() {
  return {
      spec::Required({"rate", spec::Number(0, 1'000'000), "", "jobs/s", "during a burst"}),
      spec::Required({"every", spec::Time(), "", "", "from one burst to the next"}),
      spec::Required({"length", spec::Time(), "", "", "of a burst"}),
  };
}

Fields StageFields() {
  return {
      {"parallel", spec::Whole(0, kMostParallel), "", "jobs", "closed loop: jobs outstanding"},
      {"rate", spec::Number(0, 1'000'000), "", "jobs/s", "open loop: jobs that are due"},
      {"trace", spec::Text(), "", "", "open loop: file of moments in seconds, one a line"},
      {"to", spec::Number(0, kMostParallel), "", "",
       "parallel or rate at the end; else as it began"},
      {"steps", spec::Whole(2, static_cast<std::int64_t>(kMostStages)), "", "",
       "in so many equal steps instead of a straight line"},
      {"sine", spec::MapOf(SineFields()), "", "", "the rate goes up and down"},
      {"burst", spec::MapOf(BurstFields()), "", "", "another rate now and then"},
      {"speed", spec::Number(0, 1'000'000), "1", "", "of a trace: 2 is twice as fast"},
      {"duration", spec::Time(), "", "", "of a trace: until its last moment if left out"},
  };
}

Fields JobFields() {
  return {
      {"weight", spec::Number(0, kMostWeight), "1", "", "how often it is drawn, beside the others"},
      {"args", spec::AnyList(), "[]", "", "arguments, as they are written"},
      {"priority", spec::Whole(-10, 10), "", "", "higher first"},
      {"limit", spec::Time(), "", "", "longest run time"},
      {"attempts", spec::Whole(1, 1000), "", "", "tries when workers vanish"},
  };
}

const Fields& ProfileFields() {
  static const Fields fields = {
      spec::Required({"stages", spec::ListOf(StageFields()), "", "", "one after the other"}),
      {"arrivals", spec::OneOf({"constant", "poisson"}), "constant", "", "of all open loops"},
      {"seed", spec::Whole(0), "1", "", "of all that is random"},
      {"repeat", spec::Whole(1, kMostRepeats), "1", "", "all stages so often"},
      {"jobs", spec::ListOf(JobFields()), "", "", "kinds of jobs; else the one of the command"},
  };
  return fields;
}

// ---- reading

/// A map of the document, and what it is called.
struct Section {
  const Node& node;
  std::string path;

  [[nodiscard]] const Node* Value(std::string_view key) const {
    const Entry* entry = yaml::Find(*yaml::AsMap(node), key);
    return entry == nullptr || yaml::IsNull(*entry->value) ? nullptr : entry->value.get();
  }
  [[nodiscard]] bool Has(std::string_view key) const { return Value(key) != nullptr; }
  [[nodiscard]] double Number(std::string_view key, double otherwise) const {
    const Node* value = Value(key);
    if (value == nullptr) return otherwise;
    if (const auto* whole = std::get_if<std::int64_t>(&value->value)) {
      return static_cast<double>(*whole);
    }
    const auto* number = std::get_if<double>(&value->value);
    return number == nullptr ? otherwise : *number;
  }
  [[nodiscard]] double Seconds(std::string_view key) const {
    const Node* value = Value(key);
    return value == nullptr ? 0 : spec::SecondsOf(*value);
  }
  [[nodiscard]] Status Wrong(std::string_view key, std::string_view what) const {
    const Node* value = Value(key);
    return Fault(value == nullptr ? node.place : value->place, spec::Join(path, key), what);
  }
};

// A parallelism or a rate that goes from one level to another.
Stage LevelStage(Stage::Kind kind, double from, double to, double seconds) {
  const bool rate = kind == Stage::Kind::kRate;
  const std::string levels =
      from == to ? fmt::format("{:g}", from) : fmt::format("{:g} to {:g}", from, to);
  const std::string time = seconds < kForever ? fmt::format(", {:g} s", seconds) : "";
  return {
      .kind = kind,
      .name = fmt::format("{} {}{}{}", rate ? "rate" : "parallel", levels, rate ? " /s" : "", time),
      .seconds = seconds,
      .from = from,
      .to = to,
      .curve = rate ? Line(from, to, seconds) : Curve{}};
}

// `steps` equal ones from the first level to the last.
void AddSteps(const Stage& whole, int steps, std::vector<Stage>& stages) {
  const double seconds = whole.seconds / steps;
  for (int i = 0; i < steps; ++i) {
    double level = whole.from + (whole.to - whole.from) * i / (steps - 1);
    if (whole.kind == Stage::Kind::kParallel) level = std::round(level);
    stages.push_back(LevelStage(whole.kind, level, level, seconds));
  }
}

Status ReadSine(const Section& section, Stage& stage) {
  const Section sine{*section.Value("sine"), spec::Join(section.path, "sine")};
  const double amplitude = sine.Number("amplitude", 0);
  const double period = sine.Seconds("period");
  if (amplitude > stage.from) return sine.Wrong("amplitude", "is more than the rate");
  if (period <= 0) return sine.Wrong("period", "must be more than 0");
  stage.curve = Sine(stage.from, amplitude, period, stage.seconds);
  stage.to = amplitude > 0 ? stage.from + amplitude : stage.from;
  stage.name = fmt::format("rate {:g} +- {:g} /s every {:g} s, {:g} s", stage.from, amplitude,
                           period, stage.seconds);
  return absl::OkStatus();
}

Status ReadBurst(const Section& section, Stage& stage) {
  const Section burst{*section.Value("burst"), spec::Join(section.path, "burst")};
  const double high = burst.Number("rate", 0);
  const double every = burst.Seconds("every");
  const double length = burst.Seconds("length");
  if (length <= 0) return burst.Wrong("length", "must be more than 0");
  if (length > every) return burst.Wrong("length", "is longer than every");
  stage.curve = Bursts(stage.from, high, every, length, stage.seconds);
  stage.to = high;
  stage.name = fmt::format("rate {:g} /s with bursts of {:g} /s, {:g} s every {:g} s, {:g} s",
                           stage.from, high, length, every, stage.seconds);
  return absl::OkStatus();
}

// Which of the fields that shape a level are written.
Result<std::string_view> ShapeOf(const Section& section) {
  std::string_view shape;
  for (const std::string_view key : {"to", "sine", "burst"}) {
    if (!section.Has(key)) continue;
    if (!shape.empty()) return section.Wrong(key, fmt::format("does not go with {}", shape));
    shape = key;
  }
  if (shape != "to" && section.Has("steps")) return section.Wrong("steps", "needs to");
  const bool curved = shape == "sine" || shape == "burst";
  if (curved && !section.Has("rate")) return section.Wrong(shape, "needs rate");
  if (section.Has("speed")) return section.Wrong("speed", "needs trace");
  return shape;
}

Status ReadLevel(const Section& section, std::vector<Stage>& stages) {
  const Result<std::string_view> shape = ShapeOf(section);
  if (!shape.ok()) return shape.status();
  const double seconds = section.Seconds("duration");
  if (seconds <= 0) return section.Wrong("duration", "must be more than 0");
  if (seconds > kLongestStage) return section.Wrong("duration", "must be at most 7d");
  const bool rate = section.Has("rate");
  const double from = section.Number(rate ? "rate" : "parallel", 0);
  const double to = section.Number("to", from);
  if (rate && to > kMostRate)
    return section.Wrong("to", fmt::format("must be at most {:g}", kMostRate));
  Stage stage = LevelStage(rate ? Stage::Kind::kRate : Stage::Kind::kParallel, from, to, seconds);
  Status status;
  if (*shape == "sine") status = ReadSine(section, stage);
  if (*shape == "burst") status = ReadBurst(section, stage);
  if (!status.ok()) return status;
  const int steps = static_cast<int>(section.Number("steps", 1));
  if (steps > 1) {
    AddSteps(stage, steps, stages);
  } else {
    stages.push_back(std::move(stage));
  }
  return absl::OkStatus();
}

// "LINE: what", for a trace.
Status BadMoment(std::size_t line, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("line {}: {}", line, what));
}

Result<std::vector<double>> ParseMoments(std::string_view text) {
  text = WithoutByteOrderMark(text);
  std::vector<double> moments;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view word = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.ends_with('\r')) word.remove_suffix(1);
    if (word.empty() || word.starts_with('#')) continue;
    double moment = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), moment);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(moment)) {
      return BadMoment(line, fmt::format("'{}' is not a number of seconds", yaml::Shown(word, 40)));
    }
    if (moment < (moments.empty() ? 0 : moments.back())) {
      return BadMoment(line, "moments begin at 0 and never fall");
    }
    if (moments.size() == kMostMoments) {
      return BadMoment(line, fmt::format("at most {} moments are allowed", kMostMoments));
    }
    moments.push_back(moment);
  }
  if (moments.empty()) return absl::InvalidArgumentError("has no moments");
  return moments;
}

Status ReadTraceStage(const Section& section, ReadTrace read_trace, std::vector<Stage>& stages) {
  for (const std::string_view key : {"to", "steps", "sine", "burst"}) {
    if (section.Has(key)) return section.Wrong(key, "does not go with trace");
  }
  const double speed = section.Number("speed", 1);
  if (speed <= 0) return section.Wrong("speed", "must be more than 0");
  const std::string path = std::get<std::string>(section.Value("trace")->value);
  const Result<std::string> text = read_trace(path);
  if (!text.ok()) return section.Wrong("trace", std::string(text.status().message()));
  Result<std::vector<double>> moments = ParseMoments(*text);
  if (!moments.ok()) {
    return section.Wrong("trace",
                         fmt::format("{}: {}", path, std::string(moments.status().message())));
  }
  for (double& moment : *moments) moment /= speed;
  // The end of a stage is not in it, its last moment is.
  const double end = std::nextafter(moments->back(), kForever) + 1e-9;
  const double seconds = section.Has("duration") ? section.Seconds("duration") : end;
  if (seconds <= 0 || seconds > kLongestStage) return section.Wrong("duration", "must be 0..7d");
  const double rate = static_cast<double>(moments->size()) / seconds;
  stages.push_back({.kind = Stage::Kind::kTrace,
                    .name = fmt::format("trace {}, {} jobs, {:g} s", yaml::Shown(path, 80),
                                        moments->size(), seconds),
                    .seconds = seconds,
                    .from = rate,
                    .to = rate,
                    .moments = std::make_shared<const std::vector<double>>(*std::move(moments))});
  return absl::OkStatus();
}

Status ReadStage(const Section& section, ReadTrace read_trace, std::vector<Stage>& stages) {
  int kinds = 0;
  for (const std::string_view key : {"parallel", "rate", "trace"})
    kinds += section.Has(key) ? 1 : 0;
  if (kinds != 1) {
    return Fault(section.node.place, section.path, "needs one of parallel, rate and trace");
  }
  return section.Has("trace") ? ReadTraceStage(section, read_trace, stages)
                              : ReadLevel(section, stages);
}

Status ReadStages(const Section& root, ReadTrace read_trace, std::vector<Stage>& stages) {
  const yaml::List& list = *yaml::AsList(*root.Value("stages"));
  for (std::size_t i = 0; i < list.size() && stages.size() <= kMostStages; ++i) {
    const Status status = ReadStage({*list[i], fmt::format("stages[{}]", i)}, read_trace, stages);
    if (!status.ok()) return status;
  }
  if (stages.empty()) return root.Wrong("stages", "must not be empty");
  const auto repeat = static_cast<std::size_t>(root.Number("repeat", 1));
  if (stages.size() * repeat > kMostStages) {
    return root.Wrong(repeat > 1 ? "repeat" : "stages",
                      fmt::format("at most {} stages, with steps and repetitions", kMostStages));
  }
  const std::vector<Stage> once = stages;
  for (std::size_t i = 1; i < repeat; ++i) stages.insert(stages.end(), once.begin(), once.end());
  return absl::OkStatus();
}

Result<std::string> ReadArguments(const Section& section) {
  std::vector<std::string> arguments;
  const yaml::List& list = *yaml::AsList(*section.Value("args"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool scalar = yaml::AsList(*list[i]) == nullptr && yaml::AsMap(*list[i]) == nullptr &&
                        !yaml::IsNull(*list[i]);
    if (!scalar) {
      return Fault(list[i]->place, fmt::format("{}.args[{}]", section.path, i), "must be a text");
    }
    arguments.push_back(yaml::TextOf(*list[i]));
  }
  std::string encoded = EncodeArguments(arguments);
  if (encoded.size() <= rpc::kMaxSpecBytes) return encoded;
  return section.Wrong("args", fmt::format("they have {} bytes; at most {} are allowed",
                                           encoded.size(), rpc::kMaxSpecBytes));
}

Status ReadJob(const Section& section, const JobTemplate& otherwise,
               std::vector<WeightedJob>& jobs) {
  WeightedJob job{.job = otherwise, .weight = section.Number("weight", 1)};
  if (job.weight <= 0) return section.Wrong("weight", "must be more than 0");
  if (section.Has("args")) {
    Result<std::string> encoded = ReadArguments(section);
    if (!encoded.ok()) return encoded.status();
    job.job.spec = *std::move(encoded);
  }
  v1::JobOptions& options = job.job.options;
  if (section.Has("priority"))
    options.set_priority(static_cast<int>(section.Number("priority", 0)));
  if (section.Has("attempts")) {
    options.set_max_attempts(static_cast<std::uint32_t>(section.Number("attempts", 1)));
  }
  if (section.Has("limit")) {
    options.set_limit_ns(static_cast<std::uint64_t>(FromSeconds(section.Seconds("limit")).count()));
  }
  jobs.push_back(std::move(job));
  return absl::OkStatus();
}

Status ReadJobs(const Section& root, const JobTemplate& otherwise, std::vector<WeightedJob>& jobs) {
  if (!root.Has("jobs")) return absl::OkStatus();
  const yaml::List& list = *yaml::AsList(*root.Value("jobs"));
  if (list.size() > kMostJobKinds) {
    return root.Wrong("jobs", fmt::format("at most {} kinds", kMostJobKinds));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Status status = ReadJob({*list[i], fmt::format("jobs[{}]", i)}, otherwise, jobs);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

Result<Profile> Read(const std::string& text, const JobTemplate& job,
                     std::optional<std::uint64_t> seed, ReadTrace read_trace) {
  const Result<yaml::NodeRef> document = yaml::ParseDocument(text, {.bytes = kMostProfileBytes});
  if (!document.ok()) return document.status();
  Status status = spec::CheckFields(**document, ProfileFields(), "");
  const Section root{**document, ""};
  Profile profile;
  profile.text = text;
  if (status.ok()) status = ReadStages(root, read_trace, profile.stages);
  if (status.ok()) status = ReadJobs(root, job, profile.jobs);
  if (!status.ok()) return status;
  const auto* arrivals = yaml::Get<std::string>(**document, "arrivals");
  if (arrivals != nullptr && *arrivals == "poisson") profile.arrivals = Arrivals::kPoisson;
  const auto* written = yaml::Get<std::int64_t>(**document, "seed");
  profile.seed = seed.value_or(written == nullptr ? 1 : static_cast<std::uint64_t>(*written));
  return profile;
}

Profile OneStage(Stage stage) {
  Profile profile;
  profile.stages.push_back(std::move(stage));
  return profile;
}

std::string DurationText(double seconds) {
  return seconds < kForever ? fmt::format("\n    duration: {:.9g}s", seconds) : "";
}

}  // namespace

double Profile::seconds() const {
  double sum = 0;
  for (const Stage& stage : stages) sum += stage.seconds;
  return sum;
}

Profile ParallelProfile(std::uint32_t parallel, double seconds) {
  Profile profile = OneStage(LevelStage(Stage::Kind::kParallel, parallel, parallel, seconds));
  profile.text = fmt::format("stages:\n  - parallel: {}{}\n", parallel, DurationText(seconds));
  return profile;
}

Profile RateProfile(double rate, Arrivals arrivals, double seconds, std::uint64_t seed) {
  Profile profile = OneStage(LevelStage(Stage::Kind::kRate, rate, rate, seconds));
  profile.arrivals = arrivals;
  profile.seed = seed;
  profile.text = fmt::format("arrivals: {}\nseed: {}\nstages:\n  - rate: {:.17g}{}\n",
                             Name(arrivals), seed, rate, DurationText(seconds));
  return profile;
}

Result<std::string> NoTraces(const std::string&) {
  return absl::InvalidArgumentError("a trace can be read from a file at the start only");
}

Result<Profile> ParseProfile(const std::string& file, const std::string& text,
                             const JobTemplate& job, std::optional<std::uint64_t> seed,
                             ReadTrace read_trace) {
  Result<Profile> profile = Read(text, job, seed, read_trace);
  if (!profile.ok()) return yaml::InFile(file, profile.status());
  return profile;
}

}  // namespace twofold::load
