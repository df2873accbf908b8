#include "lib/trace/options_table.h"

#include "lib/trace/digest.h"
#include "lib/trace/put.h"

namespace twofold::queue::trace {

std::optional<std::uint64_t> OptionsTable::Find(const JobOptions* options) const {
  if (last_ < entries_.size() && entries_[last_].options.get() == options) return last_;
  const auto found = numbers_.find(options);
  if (found == numbers_.end()) return std::nullopt;
  return last_ = found->second;
}

std::uint64_t OptionsTable::Add(const std::shared_ptr<const JobOptions>& options,
                                std::uint64_t digest) {
  const std::uint64_t number = next_;
  next_ = (next_ + 1) % kMost;
  if (number == entries_.size()) {
    entries_.emplace_back();
  } else {
    numbers_.erase(entries_[number].options.get());
  }
  entries_[number] = {options, digest};
  numbers_[options.get()] = number;
  return number;
}

const OptionsTable::Entry* OptionsTable::At(std::uint64_t number) const {
  return number < entries_.size() ? &entries_[number] : nullptr;
}

std::uint64_t OptionsTable::DigestOf(const JobOptions& options) const {
  if (const auto number = Find(&options)) return entries_[*number].digest;
  std::string bytes;
  Put put(bytes);
  VisitFields(put, options);
  return Digest(bytes);
}

}  // namespace twofold::queue::trace
