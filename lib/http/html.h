#pragma once

#include <string>
#include <string_view>

namespace twofold::http {

/// `text` for use in HTML, between tags or in a quoted attribute: & < > " ' become entities.
std::string Escape(std::string_view text);

}  // namespace twofold::http
