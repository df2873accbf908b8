// Beside the library's header, which this one includes: what every use of it needs is compiled once, in fmt.cc.
#pragma once

#include_next <fmt/format.h>

extern template void fmt::detail::vformat_to<char>(buffer<char>&, basic_string_view<char>,
                                                   basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                                                   locale_ref);
