#include "lib/trace/convert.h"

#include <absl/hash/hash.h>
#include <absl/strings/str_cat.h>

#include <boost/pfr.hpp>
#include <chrono>
#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/trace/record.h"

namespace twofold::queue::trace {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

using SharedOptions = std::shared_ptr<const JobOptions>;

constexpr std::size_t kVerbatim = 16;  // bytes that an effect has as they are

// Uptimes are shorter, and the core adds to instants.
constexpr Duration kLatest = std::chrono::hours(24 * 365 * 50);

template <typename T>
concept IsWord = std::same_as<T, Outcome> || std::same_as<T, Spread>;
/// Of 64 bits, or of fewer; some are enumerations, to have a type of their own.
template <typename T>
concept IsNumber =
    !std::same_as<T, bool> && !IsWord<T> && (std::unsigned_integral<T> || std::is_enum_v<T>);
template <typename T>
concept IsLong = IsNumber<T> && sizeof(T) == sizeof(std::uint64_t);
template <typename T>
concept IsShort = IsNumber<T> && !IsLong<T>;
template <typename T>
concept IsText = std::same_as<T, std::string> || std::same_as<T, std::string_view>;
template <typename T>
concept IsStruct = std::is_class_v<T> && std::is_aggregate_v<T>;

/// What a word is in messages: v1::Outcome has UNSPECIFIED before them.
template <IsWord T>
constexpr int kFirst = std::same_as<T, Outcome> ? int{v1::OUTCOME_SUCCEEDED} : int{v1::SPREAD_ANY};

/// Sets the fields of a message to those of a struct, one after the other.
class Putter {
 public:
  /// `known` may be nullptr if the struct has no options of jobs.
  Putter(Message& to, KnownOptions* known) : to_(to), known_(known) {}

  template <IsStruct T>
  void Fields(const T& value) {
    boost::pfr::for_each_field(value, [this](const auto& field, std::size_t place) {
      field_ = to_.GetDescriptor()->field(static_cast<int>(place));
      Set(field);
    });
  }

 private:
  void Set(bool value) { with_.SetBool(&to_, field_, value); }
  void Set(IsLong auto value) { with_.SetUInt64(&to_, field_, static_cast<std::uint64_t>(value)); }
  void Set(IsShort auto value) { with_.SetUInt32(&to_, field_, static_cast<std::uint32_t>(value)); }
  void Set(int value) { with_.SetInt32(&to_, field_, value); }
  template <IsWord T>
  void Set(T value) {
    with_.SetEnumValue(&to_, field_, kFirst<T> + static_cast<int>(value));
  }
  void Set(Duration value) { with_.SetInt64(&to_, field_, value.count()); }
  void Set(Instant value) { Set(value.time_since_epoch()); }
  void Set(const IsText auto& value) { with_.SetString(&to_, field_, std::string(value)); }
  void Set(const SharedOptions& value) { Set(known_->Of(value).bytes); }
  void Set(const IsStruct auto& value) {
    Putter(*with_.MutableMessage(&to_, field_), known_).Fields(value);
  }
  template <IsStruct T>
  void Set(const std::vector<T>& values) {
    with_.ClearField(&to_, field_);
    for (const T& value : values) Putter(*with_.AddMessage(&to_, field_), known_).Fields(value);
  }

  Message& to_;
  const Reflection& with_ = *to_.GetReflection();
  KnownOptions* const known_;
  const FieldDescriptor* field_ = nullptr;
};

/// The other way. After a value that cannot be, ok() is false.
class Taker {
 public:
  /// `last` may be nullptr if the struct has no options of jobs.
  Taker(const Message& from, LastOptions* last) : from_(from), last_(last) {}

  template <IsStruct T>
  void Fields(T& value) {
    boost::pfr::for_each_field(value, [this](auto& field, std::size_t place) {
      field_ = from_.GetDescriptor()->field(static_cast<int>(place));
      Get(field);
    });
  }

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  void Get(bool& value) { value = with_.GetBool(from_, field_); }
  template <IsLong T>
  void Get(T& value) {
    value = static_cast<T>(with_.GetUInt64(from_, field_));
  }
  template <IsShort T>
  void Get(T& value) {
    const std::uint32_t number = with_.GetUInt32(from_, field_);
    value = static_cast<T>(number);
    ok_ = ok_ && static_cast<std::uint32_t>(value) == number;
  }
  void Get(int& value) { value = with_.GetInt32(from_, field_); }
  template <IsWord T>
  void Get(T& value) {
    const int number = with_.GetEnumValue(from_, field_);
    ok_ = ok_ && number >= kFirst<T> && field_->enum_type()->FindValueByNumber(number) != nullptr;
    value = static_cast<T>(number - kFirst<T>);
  }
  void Get(Duration& value) { value = Duration(with_.GetInt64(from_, field_)); }
  void Get(Instant& value) {
    value = Instant(Duration(with_.GetInt64(from_, field_)));
    ok_ = ok_ && CanBe(value);
  }
  template <IsText T>
  void Get(T& value) {
    std::string unused;
    value = with_.GetStringReference(from_, field_, &unused);
  }
  void Get(SharedOptions& value);
  void Get(IsStruct auto& value) { Inner(with_.GetMessage(from_, field_), value); }
  template <IsStruct T>
  void Get(std::vector<T>& values) {
    const int size = with_.FieldSize(from_, field_);
    for (int i = 0; i < size; ++i) {
      Inner(with_.GetRepeatedMessage(from_, field_, i), values.emplace_back());
    }
  }

  void Inner(const Message& from, auto& value) {
    Taker inner(from, last_);
    inner.Fields(value);
    ok_ = ok_ && inner.ok();
  }

  const Message& from_;
  const Reflection& with_ = *from_.GetReflection();
  LastOptions* const last_;
  const FieldDescriptor* field_ = nullptr;
  bool ok_ = true;
};

/// What the frontend has checked before it gave a job to the core.
bool IsValid(const JobOptions& options) {
  return kLowestPriority <= options.priority && options.priority <= kHighestPriority &&
         1 <= options.weight && options.weight <= kHighestWeight && 1 <= options.gang.size &&
         options.gang.size <= kLargestGang;
}

void Taker::Get(SharedOptions& value) {
  std::string bytes = with_.GetString(from_, field_);
  if (last_->options == nullptr || last_->bytes != bytes) {
    proto::JobOptions from;
    auto options = std::make_shared<JobOptions>();
    ok_ = ok_ && ParseExactly(bytes, from);
    Inner(from, *options);
    ok_ = ok_ && IsValid(*options);
    *last_ = {std::move(options), std::move(bytes)};
  }
  value = last_->options;
}

template <std::size_t place = 0>
Input InputAt(std::size_t wanted) {
  if (wanted == place) return std::variant_alternative_t<place, Input>{};
  if constexpr (place + 1 < std::variant_size_v<Input>) return InputAt<place + 1>(wanted);
  return {};
}

std::uint64_t DigestOf(std::span<const Member> members) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(2 * members.size());
  for (const auto& [process, job] : members) {
    numbers.push_back(static_cast<std::uint64_t>(process));
    numbers.push_back(static_cast<std::uint64_t>(job));
  }
  const auto bytes = std::as_bytes(std::span(numbers));
  return Digest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Most inputs are one of these two. Reflection would take five times as long.

void PutFast(const input::Submit& submit, KnownOptions& known, proto::Submit& to) {
  to.set_submitter(static_cast<std::uint64_t>(submit.submitter));
  to.set_tag(submit.tag);
  to.set_options(known.Of(submit.options).bytes);
  to.set_spec(submit.spec.data(), submit.spec.size());
  if (submit.spec_elsewhere > 0) to.set_spec_elsewhere(submit.spec_elsewhere);
}

void PutFast(const input::Completed& completed, proto::Completed& to) {
  const auto& [job, attempt, handed_back, outcome, run_time, device, report] = completed.completion;
  to.set_process(static_cast<std::uint32_t>(completed.process));
  proto::Completion& completion = *to.mutable_completion();
  completion.set_job(static_cast<std::uint64_t>(job));
  completion.set_attempt(attempt);
  completion.set_handed_back(handed_back);
  completion.set_outcome(static_cast<v1::Outcome>(kFirst<Outcome> + static_cast<int>(outcome)));
  completion.set_run_time_ns(run_time.count());
  completion.set_device(device.data(), device.size());
  completion.set_report(report.data(), report.size());
}

}  // namespace

bool CanBe(Instant instant) {
  const Duration since = instant.time_since_epoch();
  return -kLatest <= since && since <= kLatest;
}

const KnownOptions::Entry& KnownOptions::Of(const SharedOptions& options) {
  if (last_->options == options) return *last_;
  Entry& entry = *(last_ = &entries_[absl::HashOf(options.get()) % entries_.size()]);
  if (entry.options == options) return entry;
  proto::JobOptions message;
  Putter(message, nullptr).Fields(*options);
  entry.options = options;
  entry.bytes = message.SerializeAsString();
  entry.digest = Digest(entry.bytes);
  return entry;
}

void Put(const Input& input, KnownOptions& known, proto::Input& to) {
  to.Clear();
  if (const auto* submit = std::get_if<input::Submit>(&input)) {
    return PutFast(*submit, known, *to.mutable_submit());
  }
  if (const auto* completed = std::get_if<input::Completed>(&input)) {
    return PutFast(*completed, *to.mutable_completed());
  }
  const FieldDescriptor* field = to.GetDescriptor()->field(static_cast<int>(input.index()));
  Message& row = *to.GetReflection()->MutableMessage(&to, field);
  std::visit([&](const auto& value) { Putter(row, &known).Fields(value); }, input);
}

void Put(const QueueOptions& options, proto::QueueOptions& to) {
  Putter(to, nullptr).Fields(options);
}

bool Take(const proto::Input& from, LastOptions& last, Input& input) {
  std::vector<const FieldDescriptor*> fields;
  from.GetReflection()->ListFields(from, &fields);
  if (fields.size() != 1) return false;
  input = InputAt(static_cast<std::size_t>(fields[0]->index()));
  Taker taker(from.GetReflection()->GetMessage(from, fields[0]), &last);
  std::visit([&](auto& value) { taker.Fields(value); }, input);
  return taker.ok();
}

bool Take(const proto::QueueOptions& from, QueueOptions& options) {
  Taker taker(from, nullptr);
  taker.Fields(options);
  return taker.ok();
}

bool ParseExactly(const std::string& bytes, Message& message) {
  if (!message.ParseFromString(bytes)) return false;
  message.DiscardUnknownFields();
  return message.SerializeAsString() == bytes;
}

void Put(const Go& effect, KnownOptions& /*known*/, proto::Effect& effects) {
  Putter(*effects.mutable_go(), nullptr).Fields(effect);
}

void Put(const CancelOnWorker& effect, KnownOptions& /*known*/, proto::Effect& effects) {
  Putter(*effects.mutable_cancel_on_worker(), nullptr).Fields(effect);
}

void Put(const ProcessRemoved& effect, KnownOptions& /*known*/, proto::Effect& effects) {
  Putter(*effects.mutable_process_removed(), nullptr).Fields(effect);
}

// The structured bindings do not compile when an effect gets a field that is not written here.

void Put(const Assign& effect, KnownOptions& known, proto::Effect& effects) {
  proto::Assign& to = *effects.mutable_assign();
  // Whose job it is stands in the input that brought it.
  const auto& [process, job, attempt, options, spec, seat, lost_attempts, submitter, spec_elsewhere,
               ask_sent] = effect;
  to.set_process(static_cast<std::uint32_t>(process));
  to.set_job(static_cast<std::uint64_t>(job));
  to.set_attempt(attempt);
  to.set_options(known.Of(options).digest);
  AppendBrief(*to.mutable_spec(), spec, kVerbatim);
  if (spec_elsewhere > 0) to.set_spec_elsewhere(spec_elsewhere);
  if (ask_sent) to.set_ask_sent(true);
  to.set_lost_attempts(lost_attempts);
  if (seat == nullptr) return;
  const auto& [gang, rank, members] = *seat;
  to.mutable_seat()->set_gang(static_cast<std::uint64_t>(gang));
  to.mutable_seat()->set_rank(rank);
  to.mutable_seat()->set_size(static_cast<std::uint32_t>(members.size()));
  to.mutable_seat()->set_members(DigestOf(members));
}

void Put(const Requeued& effect, KnownOptions& known, proto::Effect& effects) {
  proto::Requeued& to = *effects.mutable_requeued();
  const auto& [job, options, attempts, lost_attempts] = effect;
  to.set_job(static_cast<std::uint64_t>(job));
  to.set_options(known.Of(options).digest);
  to.set_attempts(attempts);
  to.set_lost_attempts(lost_attempts);
}

void Put(const Reply& effect, KnownOptions& known, proto::Effect& effects) {
  proto::Reply& to = *effects.mutable_reply();
  const auto& [submitter, tag, job, options, outcome, attempts, has_process, process, wait,
               run_time, total, rank, device, report, reason] = effect;
  to.set_submitter(static_cast<std::uint64_t>(submitter));
  to.set_tag(tag);
  to.set_job(static_cast<std::uint64_t>(job));
  to.set_options(known.Of(options).digest);
  to.set_outcome(static_cast<v1::Outcome>(kFirst<Outcome> + static_cast<int>(outcome)));
  to.set_attempts(attempts);
  if (has_process) to.set_process(static_cast<std::uint32_t>(process));
  to.set_wait_ns(wait.count());
  to.set_run_time_ns(run_time.count());
  to.set_total_ns(total.count());
  to.set_rank(rank);
  AppendBrief(*to.mutable_device(), device, kVerbatim);
  AppendBrief(*to.mutable_report(), report, kVerbatim);
  to.set_reason(reason.data(), reason.size());
}

void Put(const Submitted& answer, proto::Returned& to) {
  const auto& [admission, job, duplicate] = answer;
  to.set_admission(static_cast<proto::Admission>(admission));
  to.set_job(static_cast<std::uint64_t>(job));
  to.set_duplicate(duplicate);
}

void Put(ProcessId answer, proto::Returned& to) {
  to.set_process(static_cast<std::uint32_t>(answer));
}

void Put(bool answer, proto::Returned& to) { to.set_answer(answer); }

void AppendBrief(std::string& to, std::string_view bytes, std::size_t most) {
  if (bytes.size() <= most) {
    to.append(bytes);
  } else {
    absl::StrAppend(&to, bytes.size(), "B#", absl::Hex(Digest(bytes), absl::kZeroPad16));
  }
}

}  // namespace twofold::queue::trace
