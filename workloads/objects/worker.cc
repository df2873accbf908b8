#include "workloads/objects/worker.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>

#include "lib/common/printable.h"
#include "workloads/objects/load/random.h"
#include "workloads/objects/wire/checksum.h"

namespace twofold::objects {

namespace asio = boost::asio;
using suite::object_storage::ParseSize;

namespace {

constexpr std::size_t kHashedAtOnce = 64 << 10;
constexpr std::size_t kMostOfList = 8 << 20;
constexpr std::size_t kMostOfAnswer = 64 << 10;
constexpr Duration kFirstPause = std::chrono::milliseconds(50);
constexpr Duration kMostPause = std::chrono::seconds(5);

std::uint64_t SizeOf(const std::string& text) { return ParseSize("", text).value_or(0); }

// An ETag that is an MD5, without its quotes; else empty.
std::string Md5Of(std::string_view etag) {
  if (etag.size() != 34) return "";
  const std::string_view inside = etag.substr(1, 32);
  return std::all_of(inside.begin(), inside.end(), absl::ascii_isxdigit) ? std::string(inside) : "";
}

}  // namespace

Manner::Manner(const Spec& spec)
    : seed(spec.seed()),
      offset(SizeOf(spec.readoff())),
      length(SizeOf(spec.readlen())),
      parts(spec.multipart_chunks()),
      retries(spec.retries()),
      validate(spec.validate()),
      knows_sizes(spec.validate() && spec.has_minsize() && spec.objects() > 0),
      verify(spec.verifyhash()),
      checksum(spec.protocol() == "ais" && spec.cksum_type() != "none" ? spec.cksum_type() : ""),
      sign_content(spec.signpayload() && spec.protocol() == "s3") {}

Check::Check(const Content* content, std::uint64_t offset, std::string_view type)
    : content_(content), at_(offset), checksum_(MakeChecksum(type)) {}

void Check::Take(std::string_view bytes) {
  const Instant begin = Now();
  if (content_ != nullptr && equal_) equal_ = content_->Matches(at_, bytes);
  if (checksum_) checksum_->Add(bytes);
  at_ += bytes.size();
  spent_ += Now() - begin;
}

std::string Check::Fault(std::string_view expected) {
  if (!equal_) return "wrong content";
  if (!checksum_ || expected.empty()) return "";
  return checksum_->Hex() == absl::AsciiStrToLower(std::string(expected)) ? "" : "wrong checksum";
}

Worker::Worker(asio::io_context& io, Shared& shared, std::size_t number, std::size_t buffer_bytes,
               Duration timeout, LockedTally& tally)
    : shared_(shared),
      tally_(tally),
      caller_(io, shared.store, number, buffer_bytes, timeout),
      backoff_(kFirstPause, kMostPause, Random(shared.manner.seed, Stream::kGap, number)) {
  caller_.tally = &tally;
}

asio::awaitable<void> Worker::Run() {
  while (!shared_.stop) {
    const std::optional<Order> order = shared_.source.Next();
    if (!order) break;
    if (order->planned) {
      const Instant when = shared_.start + *order->planned;
      if (when > Now()) co_await caller_.WaitUntil(when);
      if (shared_.stop) {
        Abandon(*order);
        break;
      }
    }
    NameIt(*order);
    const bool succeeded = co_await Perform(order->op, *order);
    if (succeeded && order->update && !shared_.stop) co_await Perform(Op::kUpdate, *order);
    shared_.source.Ended(*order, succeeded);
  }
  if (!shared_.stop && shared_.all_busy.exchange(false)) {
    shared_.full_until = Now().time_since_epoch().count();
  }
}

void Worker::Abandon(const Order& order) {
  if (!order.planned) return;
  tally_.With([&](Tally& counts) { counts.Open(order.op, shared_.start + *order.planned, Now()); });
}

void Worker::NameIt(const Order& order) {
  name_.clear();
  if (order.op == Op::kList) return;
  if (order.listed && !shared_.listed.empty()) {
    name_ = shared_.listed[order.name];
  } else {
    shared_.names.Append(order.name, name_);
  }
}

asio::awaitable<bool> Worker::Perform(Op op, const Order& order) {
  Outcome outcome;
  outcome.op = op;
  std::optional<Instant> first_sent;
  for (std::uint32_t tries = 0;; ++tries) {
    outcome.failure.reset();
    outcome.retries = tries;
    may_retry_ = false;
    co_await Once(op, order, outcome);
    if (!first_sent) first_sent = outcome.ended - outcome.last_byte;
    if (!outcome.failure) {
      backoff_.Reset();
      break;
    }
    if (shared_.stop) {
      if (op != Op::kUpdate) Abandon(order);
      co_return false;
    }
    // One whose server is away makes no flood of failures either.
    const bool again = may_retry_ && tries < shared_.manner.retries;
    if (again || outcome.failure->code == 0) co_await caller_.WaitUntil(Now() + backoff_.Next());
    if (!again || shared_.stop) break;
  }
  if (order.planned && op != Op::kUpdate) {
    const Instant when = shared_.start + *order.planned;
    outcome.planned = outcome.ended - when;
    outcome.late = *first_sent - when;
  }
  // The last byte is that of the last try, but the time of all tries.
  outcome.last_byte = outcome.ended - *first_sent;
  tally_.With([&](Tally& counts) { counts.Add(outcome, shared_.all_busy); });
  co_return !outcome.failure;
}

asio::awaitable<void> Worker::Once(Op op, const Order& order, Outcome& outcome) {
  switch (op) {
    case Op::kGet:
      return Get(order, outcome);
    case Op::kPut:
    case Op::kUpdate:
      return Put(order, outcome);
    case Op::kMultipart:
      return PutInParts(order, outcome);
    case Op::kHead:
      return Simple(Verb::kHead, outcome);
    case Op::kDelete:
      return Simple(Verb::kDelete, outcome);
    case Op::kList:
      break;
  }
  return Simple(Verb::kList, outcome);
}

void Worker::Take(const Reply& reply, Outcome& outcome) {
  outcome.ended = reply.ended;
  outcome.first_byte = reply.first_byte - reply.sent;
  outcome.last_byte = reply.ended - reply.sent;
  outcome.redirects += reply.redirects;
  if (reply.redirected) outcome.redirect = *reply.redirected - reply.sent;
  outcome.failure = reply.failure;
  may_retry_ = reply.may_retry;
  if (outcome.failure) {
    outcome.failure->example = Printable(absl::StrCat(name_, ": ", outcome.failure->example), 400);
  }
}

asio::awaitable<void> Worker::Simple(Verb verb, Outcome& outcome) {
  const std::size_t keep = verb == Verb::kList ? kMostOfList : 0;
  const Reply reply = co_await caller_.Make({.verb = verb, .name = name_}, nullptr, nullptr, keep);
  Take(reply, outcome);
  if (verb == Verb::kList) outcome.bytes = outcome.failure ? 0 : caller_.answer().received();
}

asio::awaitable<void> Worker::Get(const Order& order, Outcome& outcome) {
  const Manner& manner = shared_.manner;
  const Content content(manner.seed, name_);
  std::optional<Check> check;
  if (manner.validate || manner.verify) {
    const std::string_view type = !manner.verify             ? ""
                                  : !manner.checksum.empty() ? std::string_view(manner.checksum)
                                                             : "md5";
    check.emplace(manner.validate ? &content : nullptr, manner.offset, type);
  }
  const Call call{
      .verb = Verb::kGet, .name = name_, .offset = manner.offset, .length = manner.length};
  const Reply reply = co_await caller_.Make(call, nullptr, check ? &*check : nullptr, 0);
  Take(reply, outcome);
  if (outcome.failure) co_return;
  outcome.bytes = caller_.answer().received();
  FindFault(order, check ? &*check : nullptr, outcome);
}

void Worker::FindFault(const Order& order, Check* check, Outcome& outcome) {
  const Manner& manner = shared_.manner;
  const Answer& answer = caller_.answer();
  const bool is_range = manner.offset > 0 || manner.length > 0;
  std::string fault;
  if (is_range && answer.code() != 206) {
    fault = "range ignored";
  } else if (manner.length > 0 && outcome.bytes > manner.length) {
    fault = "wrong length";
  } else if (check != nullptr) {
    const bool of_ais = !manner.checksum.empty();
    const bool known = of_ais && answer.cksum_type() == manner.checksum;
    fault = check->Fault(known ? answer.cksum_value() : of_ais ? "" : Md5Of(answer.etag()));
    Spent({}, check->spent());
  }
  if (fault.empty() && manner.knows_sizes) {
    const std::uint64_t rest = order.size - std::min(order.size, manner.offset);
    const std::uint64_t size = manner.length > 0 ? std::min(rest, manner.length) : rest;
    if (outcome.bytes != size) fault = "wrong length";
  }
  if (fault.empty()) return;
  outcome.failure = Failure{answer.code(), fault, Printable(name_, 300)};
  outcome.bytes = 0;
}

std::string Worker::HashOf(std::string_view type, const Content& content, std::uint64_t offset,
                           std::uint64_t size) {
  const Instant begin = Now();
  const auto checksum = MakeChecksum(type);
  std::vector<char> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, kHashedAtOnce)));
  for (std::uint64_t done = 0; done < size; done += bytes.size()) {
    const auto piece = std::span(bytes).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - done)));
    content.Fill(offset + done, piece);
    checksum->Add({piece.data(), piece.size()});
  }
  std::string hex = checksum->Hex();
  Spent(Now() - begin, {});
  return hex;
}

asio::awaitable<void> Worker::Put(const Order& order, Outcome& outcome) {
  const Manner& manner = shared_.manner;
  const Content content(manner.seed, name_);
  std::string checksum;
  std::string sha256;
  if (!manner.checksum.empty()) checksum = HashOf(manner.checksum, content, 0, order.size);
  if (manner.sign_content) sha256 = HashOf("SHA-256", content, 0, order.size);
  const Call call{.verb = Verb::kPut,
                  .name = name_,
                  .size = order.size,
                  .checksum = checksum,
                  .sha256 = sha256};
  const Reply reply = co_await caller_.Make(call, &content, nullptr, 0);
  Take(reply, outcome);
  if (!outcome.failure) outcome.bytes = order.size;
}

// The parts go one after another: others are on their way in the other workers.
asio::awaitable<void> Worker::PutInParts(const Order& order, Outcome& outcome) {
  const Manner& manner = shared_.manner;
  const Content content(manner.seed, name_);
  Reply reply = co_await caller_.Make({.verb = Verb::kStartParts, .name = name_}, nullptr, nullptr,
                                      kMostOfAnswer);
  const Instant sent = reply.sent;
  const Duration first_byte = reply.first_byte - sent;
  const std::string upload = reply.failure ? "" : UploadIn(caller_.answer().body());
  std::vector<std::string> etags;
  const std::uint64_t each = (order.size + manner.parts - 1) / manner.parts;
  for (std::uint64_t at = 0; !reply.failure && (at < order.size || at == 0); at += each) {
    const std::uint64_t size = std::min(each, order.size - at);
    const std::string sha256 =
        manner.sign_content ? HashOf("SHA-256", content, at, size) : std::string();
    const Call part{.verb = Verb::kPutPart,
                    .name = name_,
                    .size = size,
                    .offset = at,
                    .sha256 = sha256,
                    .upload = upload,
                    .part = static_cast<std::uint32_t>(etags.size()) + 1};
    reply = co_await caller_.Make(part, &content, nullptr, 0);
    if (!reply.failure) etags.push_back(caller_.answer().etag());
    if (each == 0) break;
  }
  if (!reply.failure) {
    const std::string body = PartsText(etags);
    reply = co_await caller_.Make(
        {.verb = Verb::kFinishParts, .name = name_, .upload = upload, .body = body}, nullptr,
        nullptr, kMostOfAnswer);
  }
  Take(reply, outcome);
  outcome.first_byte = first_byte;
  outcome.last_byte = outcome.ended - sent;
  outcome.bytes = outcome.failure ? 0 : order.size;
  if (!outcome.failure || upload.empty() || shared_.stop) co_return;
  co_await caller_.Make({.verb = Verb::kAbortParts, .name = name_, .upload = upload}, nullptr,
                        nullptr, 0);
}

void Worker::Spent(Duration content, Duration check) {
  tally_.With([&](Tally& counts) { counts.Spent(content, check); });
}

}  // namespace twofold::objects
