#include "backend/benchmark/rank_run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "backend/benchmark/size_limit.h"
#include "lib/suite/text.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kTailBytes = 4096;  // what a Report has room for

// Servers have Process::kStopGrace to end; the rest is for the network.
constexpr Duration kStoppedLimit = std::chrono::seconds(30);

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
  stages_.emplace(parts_.io, parts_.reaper, prepared_, parts_.options.limits, start_,
                  roster_.has_value(),
                  RankStages::Events{
                      .ready = [this] { TellReady(); },
                      .measured = [this] { Measured(); },
                      .over = [this] { Over(); },
                      .progress = events_.progress,
                      .printed = events_.printed,
                  });
  stages_->Follow(followed_);
  stages_->Start();
}

// ---- Stages

void RankRun::TellReady() {
  result_.mutable_timeline()->set_prepared_ns(SinceStart());
  if (roster_) return events_.ready();
  result_.mutable_timeline()->set_started_ns(result_.timeline().prepared_ns());
}

void RankRun::Go() {
  result_.mutable_timeline()->set_started_ns(SinceStart());
  stages_->Go();
}

void RankRun::Follow(bool on) {
  followed_ = on;
  if (stages_) stages_->Follow(on);
}

void RankRun::Stop() {
  if (ended_) return;
  stopped_ = true;
  if (stages_ && !over_) return stages_->Close();
  End(MakeEnd({}));
}

// ---- The other ranks

void RankRun::Collect(bool stop, PeerLink::OnRecord on_record) {
  collects_.push_back(std::move(on_record));
  if (over_) return AnswerCollects();
  if (stop || measured_) stages_->Close();
}

void RankRun::Measured() {
  measured_ = true;
  result_.mutable_timeline()->set_ended_ns(SinceStart());
  if (!roster_) return Collected({});
  if (leads()) return CollectAll();
  CheckOwnPart();
  if (!collects_.empty()) stages_->Close();
}

// A part that failed need not wait for the others to finish.
void RankRun::CheckOwnPart() {
  v1::RankRecord record;
  for (v1::StageRecord& stage : stages_->records()) *record.add_stages() = std::move(stage);
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
  answers_limit_.expires_after(kStoppedLimit);
  answers_limit_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || !self->collecting_) return;
    self->Collected(
        Because("collect", absl::StrCat(self->awaited_, " members have not answered within ",
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
  stages_->Close();
}

void RankRun::AnswerCollects() {
  const v1::RankRecord& own = result_.ranks(static_cast<int>(prepared_.rank));
  for (const PeerLink::OnRecord& on_record : std::exchange(collects_, {})) on_record(own);
}

// ---- The end

void RankRun::Fail(const Verdict& why) {
  if (wrong_.error.empty()) wrong_ = why;
  stages_->Close();
}

void RankRun::Over() {
  over_ = true;
  v1::RankRecord& own = *result_.mutable_ranks(static_cast<int>(prepared_.rank));
  for (v1::StageRecord& stage : stages_->records()) *own.add_stages() = std::move(stage);
  const Verdict wrong = WhatWentWrong();
  if (stopped_ || !wrong.error.empty()) return End(MakeEnd(wrong));
  if (!leads()) {
    Fit(own, parts_.options.limits.record);
    return AnswerCollects();
  }
  const Verdict verdict = Judge(CaseOf(), result_);
  result_.mutable_timeline()->set_parsed_ns(SinceStart());
  End(MakeEnd(verdict));
}

Verdict RankRun::WhatWentWrong() {
  if (!wrong_.error.empty()) return wrong_;
  const auto& failure = stages_->failure();
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
  const std::string tail = stages_->Tail(failure->stage, kTailBytes);
  const auto lines = suite::Lines(tail);
  if (lines.empty()) return known;
  return Because(failure->stage, failure->reason + ": " + std::string(lines.back()));
}

RunEnd RankRun::MakeEnd(const Verdict& wrong) {
  RunEnd end;
  const std::string newest = stages_ ? stages_->newest() : "prepare";
  result_.set_failed_stage(stopped_ ? newest : wrong.stage);
  end.stopped_in = result_.failed_stage();
  end.outcome = wrong.error.empty() ? v1::OUTCOME_SUCCEEDED : v1::OUTCOME_FAILED;
  end.report.set_error(wrong.error);
  for (const auto& stage : result_.ranks(static_cast<int>(prepared_.rank)).stages()) {
    if (stage.name() != result_.failed_stage()) continue;
    end.report.set_exit_code(std::max(0, stage.exit_code()));
    end.report.set_signal(stage.signal());
  }
  if (stages_) {
    std::string tail = stages_->Tail(result_.failed_stage(), kTailBytes);
    if (tail.empty()) tail = stages_->Tail(newest, kTailBytes);
    end.report.set_output(std::move(tail));
  }
  Fit(result_, parts_.options.limits.result);
  end.report.set_data(result_.SerializeAsString());
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
  stages_.reset();
  const auto clean_up =
      std::make_shared<CleanUp>(parts_.io, prepared_.marker, std::move(prepared_.folder));
  clean_up->Start([self = shared_from_this(), at, end] {
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
  stages_.reset();
  const CleanUp at_once(parts_.io, prepared_.marker, std::move(prepared_.folder));
}

}  // namespace twofold::backend
