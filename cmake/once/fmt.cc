// What the header beside this file leaves out of each file.
#include <fmt/format.h>

template void fmt::detail::vformat_to<char>(buffer<char>&, basic_string_view<char>,
                                            basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                                            locale_ref);
