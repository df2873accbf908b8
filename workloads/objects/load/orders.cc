#include "workloads/objects/load/orders.h"

#include <algorithm>
#include <cmath>

#include "workloads/objects/load/random.h"

namespace twofold::objects {

Arrivals::Arrivals(double rate, bool poisson, std::uint64_t seed)
    : gap_seconds_(rate > 0 ? 1 / rate : 0), poisson_(poisson), seed_(seed) {}

Duration Arrivals::Next() {
  const double at = poisson_ ? at_seconds_ : static_cast<double>(count_) * gap_seconds_;
  const double random = Unit(Random(seed_, Stream::kGap, count_));
  at_seconds_ += gap_seconds_ * -std::log1p(-random);
  ++count_;
  return FromSeconds(at);
}

void Written::Ended(std::uint64_t put, bool succeeded) {
  if (!succeeded) failed_ = std::min(failed_.value_or(put), put);
  early_.insert(put);
  while (!early_.empty() && *early_.begin() == end_) {
    early_.erase(early_.begin());
    ++end_;
  }
}

Orders::Orders(const Load& load)
    : load_(load), arrivals_(load.rate, load.poisson, Scramble(load.seed) + load.loader) {}

std::uint64_t Orders::NumberOf(std::uint64_t put) const {
  return load_.first_put + put * load_.loaders + load_.loader;
}

std::uint64_t Orders::SizeOf(std::uint64_t name) const {
  const std::uint64_t random = Random(load_.seed, Stream::kSize, name);
  const std::uint64_t span = load_.max_size - load_.min_size + 1;
  if (!load_.log_sizes) return load_.min_size + Below(span, random);
  const double least = std::log(static_cast<double>(std::max<std::uint64_t>(load_.min_size, 1)));
  const double most = std::log(static_cast<double>(load_.max_size) + 1);
  const double size = std::exp(least + Unit(random) * (most - least));
  return std::clamp(static_cast<std::uint64_t>(size), load_.min_size, load_.max_size);
}

std::uint64_t Orders::PerEpoch() const {
  return load_.split ? ShareOf(load_.names, load_.loader, load_.loaders) : load_.names;
}

std::uint64_t Orders::EpochsDone() const {
  return load_.names == 0 || PerEpoch() == 0 ? 0 : reads_ / PerEpoch();
}

std::uint64_t Orders::ObjectsWritten() const {
  return load_.first_put + written_.whole() * load_.loaders;
}

Op Orders::Draw(std::uint64_t ordinal) const {
  struct Share {
    Op op;
    std::uint32_t percent;
  };
  const Share shares[] = {{Op::kPut, load_.put_percent},
                          {Op::kHead, load_.head_percent},
                          {Op::kDelete, load_.delete_percent},
                          {Op::kList, load_.list_percent}};
  std::uint64_t drawn = Below(100, Random(load_.seed, Stream::kMix, ordinal));
  for (const Share& share : shares) {
    if (drawn < share.percent) return share.op;
    drawn -= share.percent;
  }
  return Op::kGet;
}

std::optional<Order> Orders::Put(std::uint64_t ordinal) {
  const bool full = load_.max_puts > 0 && puts_ >= load_.max_puts;
  if (full || (load_.max_put_bytes > 0 && put_bytes_ >= load_.max_put_bytes)) {
    why_ = full ? "maxputs" : "totalputsize";
    return std::nullopt;
  }
  Order order{.op = Op::kPut, .name = NumberOf(puts_++)};
  order.size = SizeOf(order.name);
  put_bytes_ += order.size;
  const std::uint64_t drawn = Below(100, Random(load_.seed, Stream::kMultipart, ordinal));
  if (drawn < load_.multipart_percent) order.op = Op::kMultipart;
  return order;
}

// All loaders walk the same permutation, each in every `loaders`-th step; or each one of its own.
std::optional<std::uint64_t> Orders::NextOfEpochs() {
  const std::uint64_t each = PerEpoch();
  if (each == 0 || (load_.epochs > 0 && reads_ >= load_.epochs * each)) {
    why_ = "epochs";
    return std::nullopt;
  }
  const std::uint64_t epoch = reads_ / each;
  if (!order_ || epoch != epoch_) {
    const std::uint64_t whose = load_.split ? 0 : load_.loader;
    order_.emplace(load_.names, Random(load_.seed + whose, Stream::kOrder, epoch));
    epoch_ = epoch;
  }
  const std::uint64_t place = reads_++ % each;
  return order_->At(load_.split ? place * load_.loaders + load_.loader : place);
}

std::optional<Order> Orders::Read(Op op, std::uint64_t ordinal) {
  Order order{.op = op};
  const std::uint64_t random = Random(load_.seed + load_.loader, Stream::kPick, ordinal);
  if (load_.names > 0) {
    order.listed = true;
    const auto name = load_.each_once ? NextOfEpochs() : Below(load_.names, random);
    if (!name) return std::nullopt;
    order.name = *name;
  } else {
    // Of its own, the newer half: DELETEs seldom come there while the read is in flight.
    const std::uint64_t there = written_.end() - std::min(deleted_, written_.end());
    if (there == 0) return Put(ordinal);
    const std::uint64_t newer = (there + 1) / 2;
    order.name = NumberOf(written_.end() - 1 - Below(newer, random));
    reading_.insert(order.name);
  }
  order.size = SizeOf(order.name);
  const std::uint64_t drawn = Below(100, Random(load_.seed, Stream::kUpdate, ordinal));
  order.update = op == Op::kGet && drawn < load_.update_percent;
  return order;
}

// As many are left as two loads of requests in flight, so that a DELETE seldom comes to what is
// being read. It passes that over: the read would find nothing, or its update would bring back what
// nobody deletes any more.
std::optional<Order> Orders::Delete(std::uint64_t ordinal) {
  while (deleted_ + 2 * load_.in_flight < written_.end()) {
    const std::uint64_t name = NumberOf(deleted_++);
    if (!reading_.contains(name)) return Order{.op = Op::kDelete, .name = name};
    spared_.insert(name);
  }
  return Put(ordinal);
}

std::optional<Order> Orders::Next() {
  if (!why_.empty()) return std::nullopt;
  const std::uint64_t ordinal = ordinal_++ * load_.loaders + load_.loader;
  std::optional<Order> order;
  switch (const Op op = Draw(ordinal); op) {
    case Op::kPut:
      order = Put(ordinal);
      break;
    case Op::kDelete:
      order = Delete(ordinal);
      break;
    case Op::kList:
      order = Order{.op = op};
      break;
    default:
      order = Read(op, ordinal);
  }
  if (order && load_.rate > 0) order->planned = arrivals_.Next();
  return order;
}

void Orders::Ended(const Order& order, bool succeeded) {
  switch (order.op) {
    case Op::kPut:
    case Op::kMultipart:
      return written_.Ended((order.name - load_.first_put) / load_.loaders, succeeded);
    case Op::kGet:
    case Op::kHead:
      if (!order.listed) reading_.extract(order.name);
      return;
    default:
      return;
  }
}

std::string_view Orders::Why() const { return why_; }

}  // namespace twofold::objects
