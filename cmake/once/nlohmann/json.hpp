// Beside the library's header, which this one includes: what most files use of it is compiled once,
// in json.cc.
#pragma once

#include_next <nlohmann/json.hpp>

#ifndef TWOFOLD_ONCE
#define TWOFOLD_ONCE extern
#endif

#define TWOFOLD_ONCE_PARSER(Json, Iterator)                      \
  TWOFOLD_ONCE template class nlohmann::detail::lexer<           \
      Json, nlohmann::detail::iterator_input_adapter<Iterator>>; \
  TWOFOLD_ONCE template class nlohmann::detail::parser<          \
      Json, nlohmann::detail::iterator_input_adapter<Iterator>>;

#define TWOFOLD_ONCE_JSON(Json)                                                                   \
  TWOFOLD_ONCE template class nlohmann::detail::serializer<Json>;                                 \
  TWOFOLD_ONCE template class nlohmann::detail::json_sax_dom_parser<Json>;                        \
  TWOFOLD_ONCE template class nlohmann::detail::json_sax_dom_callback_parser<Json>;               \
  TWOFOLD_ONCE_PARSER(Json, const char*)                                                          \
  TWOFOLD_ONCE_PARSER(Json, std::string::const_iterator)                                          \
  TWOFOLD_ONCE template class std::vector<Json>;                                                  \
  TWOFOLD_ONCE template Json::basic_json(const Json&);                                            \
  TWOFOLD_ONCE template Json::basic_json(std::initializer_list<nlohmann::detail::json_ref<Json>>, \
                                         bool, value_t);                                          \
  TWOFOLD_ONCE template void Json::json_value::destroy(value_t);

TWOFOLD_ONCE_JSON(nlohmann::json)
TWOFOLD_ONCE_JSON(nlohmann::ordered_json)
