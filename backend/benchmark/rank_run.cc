#include "backend/benchmark/rank_run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "backend/benchmark/host.h"
#include "backend/benchmark/size_limit.h"
#include "backend/workload/after.h"
#include "lib/suite/text.h"

namespace twofold::backend {
namespace {

// Less is a few ticks of the kernel's clock.
constexpr Duration kShortestLookedAt = std::chrono::milliseconds(100);

constexpr std::size_t kTailBytes = 4096;  // what a Report has room for

// Servers have Process::kStopGrace to end; the rest is for the network.
constexpr Duration kStoppedLimit = std::chrono::seconds(30);

using Action = StageSequence::Do;

bool HasMemberBeside(const v1::GangRoster& roster, std::uint32_t rank) {
  const std::string& node = roster.peers(static_cast<int>(rank)).node();
  return std::count_if(roster.peers().begin(), roster.peers().end(),
                       [&](const v1::Peer& peer) { return peer.node() == node; }) > 1;
}

bool EndedBadly(const v1::StageRecord& stage) { return stage.exit_code() != 0; }

}  // namespace

RankRun::RankRun(const BenchmarkParts& parts, Instant start, const Job& job, Events events)
    : parts_(parts), start_(start), events_(std::move(events)), answers_limit_(parts.io) {
  if (job.gang != nullptr) roster_ = *job.gang->gang;
}

std::uint64_t RankRun::SinceStart() const {
  return static_cast<std::uint64_t>((Now() - start_).count());
}

Case RankRun::CaseOf() const {
  return {parts_.suite, prepared_.spec, prepared_.plan, parts_.options.limits.read};
}

// ---- Before the first stage

void RankRun::Start(const Job& job) {
  const Verdict wrong = Prepare(parts_.suite, parts_.options, job, prepared_);
  result_ = EmptyResult(parts_.suite, parts_.options.worker, job);
  if (!wrong.error.empty()) return End(MakeEnd(wrong));
  AskVersions();
}

void RankRun::AskVersions() {
  const std::vector<std::string>& programs = prepared_.programs;
  awaited_ = programs.size() + 1;
  const auto answered = [weak = weak_from_this()](std::size_t stage, const std::string& version) {
    const auto self = weak.lock();
    if (!self || self->ended_) return;
    if (stage < self->prepared_.versions.size()) self->prepared_.versions[stage] = version;
    if (--self->awaited_ == 0) self->StartStages();
  };
  for (std::size_t stage = 0; stage < programs.size(); ++stage) {
    parts_.versions.Ask(programs[stage], [answered, stage](const std::string& version) {
      answered(stage, version);
    });
  }
  answered(programs.size(), {});  // so that a rank without stages starts, too
}

void RankRun::StartStages() {
  if (roster_ && !leads()) {
    announced_ = true;
    parts_.options.peers->Announce(seat(), *this, prepared_.rank_plan().serves_exec,
                                   prepared_.environment, prepared_.folder->run());
  }
  const std::vector<suite::Stage>& stages = prepared_.rank_plan().stages;
  ran_.resize(stages.size());
  before_ = parts_.machine.Read(Now());
  sequence_.emplace(stages, roster_.has_value());
  Advance();
}

// ---- Stages

// What is done may cause the next event before it returns; one loop takes them all.
void RankRun::Advance() {
  if (std::exchange(advancing_, true)) return;
  for (auto step = sequence_->Next(); step.what != Action::kWait; step = sequence_->Next()) {
    Do(step);
  }
  advancing_ = false;
}

void RankRun::Do(const StageSequence::Step& step) {
  switch (step.what) {
    case Action::kStart:
      return StartStage(step.stage);
    case Action::kStop:
      return ran_[step.stage].run->Stop();
    case Action::kTellReady:
      return TellReady();
    case Action::kTellMeasured:
      return Measured();
    case Action::kTellOver:
      return Over();
    case Action::kWait:
      break;
  }
}

void RankRun::StartStage(std::size_t index) {
  auto run =
      StageRun::Start(parts_.io, parts_.reaper, prepared_, index, parts_.options.limits.printed,
                      {.ready =
                           [this, index] {
                             sequence_->Ready(index);
                             Advance();
                           },
                       .ended = [this, index](const StageEnd& end) { StageEnded(index, end); },
                       .progress = events_.progress,
                       .printed = events_.printed});
  if (!run.ok()) {
    return StageEnded(index,
                      {StageEnd::How::kBroken, absl::StrCat("start: ", run.status().message())});
  }
  ran_[index].run = *std::move(run);
  ran_[index].run->Follow(followed_);
  // Which part it is, where there are several; a program may say more.
  if (ran_.size() < 2) return;
  const auto before = static_cast<float>(sequence_->started().size() - 1);
  events_.progress({before / static_cast<float>(ran_.size()), Newest()});
}

void RankRun::StageEnded(std::size_t index, const StageEnd& end) {
  ran_[index].record =
      RecordOf(prepared_, index, end, ran_[index].run.get(), parts_.options.limits, start_);
  sequence_->Ended(index, end);
  Advance();
}

void RankRun::Close() {
  sequence_->Close();
  Advance();
}

void RankRun::AddRecords(v1::RankRecord& rank) const {
  for (const std::size_t index : sequence_->started()) {
    if (ran_[index].record) *rank.add_stages() = *ran_[index].record;
  }
}

// The stage that was started last; empty: none was.
std::string RankRun::Newest() const {
  if (!sequence_) return "prepare";
  const auto started = sequence_->started();
  return started.empty() ? "" : prepared_.rank_plan().stages[started.back()].name;
}

// The end of what `stage` has printed; stdout first.
std::string RankRun::Tail(std::string_view stage) const {
  const auto started = sequence_->started();
  const auto found = std::find_if(started.rbegin(), started.rend(), [&](std::size_t index) {
    return prepared_.rank_plan().stages[index].name == stage && ran_[index].run;
  });
  if (found == started.rend()) return {};
  const StageRun& run = *ran_[*found].run;
  const std::string err = run.err().Last(kTailBytes / 2);
  return run.out().Last(kTailBytes - err.size()) + err;
}

void RankRun::TellReady() {
  result_.mutable_timeline()->set_prepared_ns(SinceStart());
  if (roster_) return events_.ready();
  result_.mutable_timeline()->set_started_ns(result_.timeline().prepared_ns());
}

void RankRun::Go() {
  result_.mutable_timeline()->set_started_ns(SinceStart());
  if (leads()) before_ = parts_.machine.Read(Now());
  sequence_->Go();
  Advance();
}

void RankRun::Follow(bool on) {
  followed_ = on;
  for (const Ran& ran : ran_) {
    if (ran.run && !ran.record) ran.run->Follow(on);
  }
}

void RankRun::Stop() {
  if (ended_) return;
  stopped_ = true;
  if (sequence_ && !over_) return Close();
  End(MakeEnd({}));
}

// ---- The other ranks

void RankRun::Collect(bool stop, PeerLink::OnRecord on_record) {
  collects_.push_back(std::move(on_record));
  if (over_) return AnswerCollects();
  if (stop || measured_) Close();
}

void RankRun::Measured() {
  measured_ = true;
  result_.mutable_timeline()->set_ended_ns(SinceStart());
  if (!roster_) return Collected({});
  if (leads()) return CollectAll();
  CheckOwnPart();
  if (!collects_.empty()) Close();
}

// A part that failed need not wait for the others to finish.
void RankRun::CheckOwnPart() {
  v1::RankRecord record;
  AddRecords(record);
  if (std::none_of(record.stages().begin(), record.stages().end(), EndedBadly)) return;
  const Verdict wrong = JudgeRank(CaseOf(), prepared_.rank, record);
  if (!wrong.error.empty()) Fail(wrong);
}

// Rank 0 asks all others at once.
void RankRun::CollectAll() {
  const bool stop = prepared_.plan.ending == suite::Ending::kRankZero;
  if (stop) LimitAnswers();
  collecting_ = true;
  awaited_ = static_cast<std::size_t>(roster_->peers_size() - 1);
  for (std::uint32_t rank = 1; rank < prepared_.plan.ranks.size(); ++rank) {
    parts_.options.peers->Collect(seat(), rank, stop,
                                  [weak = weak_from_this(), rank](Result<v1::RankRecord> record) {
                                    const auto self = weak.lock();
                                    if (self && self->collecting_) {
                                      self->Answered(rank, std::move(record));
                                    }
                                  });
  }
}

// Who need not go on has to answer soon.
void RankRun::LimitAnswers() {
  After(answers_limit_, kStoppedLimit, weak_from_this(), [](RankRun& self) {
    if (!self.collecting_) return;
    self.Collected(
        Because("collect", absl::StrCat(self.awaited_, " members have not answered within ",
                                        ToSeconds(kStoppedLimit), " s")));
  });
}

void RankRun::Answered(std::uint32_t rank, Result<v1::RankRecord> record) {
  if (record.ok()) {
    *result_.mutable_ranks(static_cast<int>(rank)) = *std::move(record);
    if (--awaited_ == 0) Collected({});
    return;
  }
  Collected(Because("collect", absl::StrCat("rank ", rank, " at ",
                                            roster_->peers(static_cast<int>(rank)).address(), ": ",
                                            std::string(record.status().message()))));
}

void RankRun::Collected(const Verdict& wrong) {
  collecting_ = false;
  answers_limit_.cancel();
  if (!wrong.error.empty()) return Fail(wrong);
  result_.mutable_timeline()->set_collected_ns(SinceStart());
  Close();
}

void RankRun::AnswerCollects() {
  const v1::RankRecord& own = result_.ranks(static_cast<int>(prepared_.rank));
  for (const PeerLink::OnRecord& on_record : std::exchange(collects_, {})) on_record(own);
}

// ---- The end

void RankRun::Fail(const Verdict& why) {
  if (wrong_.error.empty()) wrong_ = why;
  Close();
}

void RankRun::Over() {
  over_ = true;
  v1::RankRecord& own = *result_.mutable_ranks(static_cast<int>(prepared_.rank));
  AddRecords(own);
  const Verdict wrong = WhatWentWrong();
  if (stopped_ || !wrong.error.empty()) return End(MakeEnd(wrong));
  if (!leads()) {
    Fit(own, parts_.options.limits.record);
    return AnswerCollects();
  }
  const Verdict verdict = Judge(CaseOf(), result_);
  if (verdict.error.empty()) AddMachine();
  result_.mutable_timeline()->set_parsed_ns(SinceStart());
  End(MakeEnd(verdict));
}

Verdict RankRun::WhatWentWrong() {
  if (!wrong_.error.empty()) return wrong_;
  const auto& failure = sequence_->failure();
  if (!failure) return {};
  const v1::RankRecord& own = result_.ranks(static_cast<int>(prepared_.rank));
  const auto failed =
      std::find_if(own.stages().begin(), own.stages().end(),
                   [&](const auto& stage) { return stage.name() == failure->stage; });
  const Verdict known = Because(failure->stage, failure->reason);
  // Of one that failed by itself, the words of the tool say more than its exit code; if Parse does
  // not know them, its last line has to do.
  if (failed == own.stages().end() || !failed->error().empty() || !EndedBadly(*failed))
    return known;
  Verdict words = JudgeRank(CaseOf(), prepared_.rank, own);
  if (words.stage == failure->stage) return words;
  const std::string tail = Tail(failure->stage);
  const auto lines = suite::Lines(tail);
  if (lines.empty()) return known;
  return Because(failure->stage, failure->reason + ": " + std::string(lines.back()));
}

// Short jobs are not worth a second reading, and ticks would say little about them.
void RankRun::AddMachine() {
  const Instant now = Now();
  if (now - before_.at < kShortestLookedAt) return;
  process::MachineShares shares = process::Between(before_, parts_.machine.Read(now));
  // The work of another member beside this one is not that of others, but seems so.
  if (roster_ && HasMemberBeside(*roster_, prepared_.rank)) shares.others.reset();
  AddShares(shares, result_);
}

RunEnd RankRun::MakeEnd(const Verdict& wrong) {
  RunEnd end;
  const std::string newest = Newest();
  result_.set_failed_stage(stopped_ ? newest : wrong.stage);
  end.stopped_in = result_.failed_stage();
  end.Set(wrong.error.empty() ? v1::OUTCOME_SUCCEEDED : v1::OUTCOME_FAILED, wrong.error);
  for (const auto& stage : result_.ranks(static_cast<int>(prepared_.rank)).stages()) {
    if (stage.name() != result_.failed_stage()) continue;
    end.report->set_exit_code(std::max(0, stage.exit_code()));
    end.report->set_signal(stage.signal());
  }
  if (sequence_) {
    std::string tail = Tail(result_.failed_stage());
    if (tail.empty()) tail = Tail(newest);
    end.report->set_output(std::move(tail));
  }
  Fit(result_, parts_.options.limits.result);
  end.report->set_data(result_.SerializeAsString());
  return end;
}

// What told of the end is left first: it may be a stage.
void RankRun::End(RunEnd end) {
  ended_ = true;
  collecting_ = false;
  const auto clean_up = [self = shared_from_this(), at = Now(), end = std::move(end)] {
    boost::asio::post(self->parts_.io, [self, at, end] { self->CleanUpAndTell(at, end); });
  };
  if (announced_) return parts_.options.peers->Withdraw(IdOf(seat()), clean_up);
  if (roster_ && parts_.options.peers != nullptr) parts_.options.peers->Forget(IdOf(seat()));
  clean_up();
}

void RankRun::CleanUpAndTell(Instant at, const RunEnd& end) {
  if (!events_.ended) return;  // it was abandoned
  ran_.clear();
  std::make_shared<CleanUp>(parts_.io, std::move(prepared_.folder))
      ->Start([self = shared_from_this(), at, end] {
        if (self->events_.ended) self->events_.ended(at, end);
      });
}

void RankRun::Abandon() {
  if (announced_ && !ended_) parts_.options.peers->Withdraw(IdOf(seat()), [] {});
  if (roster_ && !announced_ && parts_.options.peers != nullptr) {
    parts_.options.peers->Forget(IdOf(seat()));
  }
  events_ = {};
  ended_ = true;
  collecting_ = false;
  ran_.clear();
  const CleanUp at_once(parts_.io, std::move(prepared_.folder));
}

}  // namespace twofold::backend
