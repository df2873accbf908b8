#include "workloads/objects/wire/answer.h"

#include <array>
#include <boost/beast/http/impl/basic_parser.hpp>

namespace twofold::objects {

Answer::Answer(Sink* sink, std::size_t keep, bool no_content) : sink_(sink), keep_(keep) {
  eager(true);
  skip(no_content);
  body_limit(boost::none);
}

void Answer::on_field_impl(Field field, Text name, Text value, Error& /*error*/) {
  struct Known {
    Field field;
    std::string Answer::*text;
  };
  static constexpr std::array<Known, 3> kKnown = {{{Field::location, &Answer::location_},
                                                   {Field::etag, &Answer::etag_},
                                                   {Field::date, &Answer::date_}}};
  struct Named {
    Text name;
    std::string Answer::*text;
  };
  static const std::array<Named, 3> kNamed = {{{"Ais-Checksum-Type", &Answer::cksum_type_},
                                               {"Ais-Checksum-Value", &Answer::cksum_value_},
                                               {"x-amz-bucket-region", &Answer::region_}}};
  for (const Known& known : kKnown) {
    if (known.field == field) (this->*known.text).assign(value.data(), value.size());
  }
  if (field != Field::unknown) return;
  for (const Named& known : kNamed) {
    if (boost::beast::iequals(name, known.name)) {
      (this->*known.text).assign(value.data(), value.size());
    }
  }
}

void Answer::Keep(Text bytes, std::size_t most) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  for (const char c : bytes) {
    if (skip_blanks_ && is_blank(c) && (body_.empty() || is_blank(body_.back()))) continue;
    if (body_.size() == most) {
      is_cut_ = true;
      return;
    }
    body_.push_back(c);
  }
}

std::size_t Answer::Take(Text bytes) {
  received_ += bytes.size();
  Keep(bytes, is_success() ? keep_ : kKeptOfFailure);
  if (sink_ != nullptr && is_success()) sink_->Take({bytes.data(), bytes.size()});
  return bytes.size();
}

}  // namespace twofold::objects
