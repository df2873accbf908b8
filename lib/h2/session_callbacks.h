#pragma once

#include <nghttp2/nghttp2.h>

namespace twofold::h2 {

/// nghttp2's callbacks, whose user data is the Session: each calls one member.
const nghttp2_session_callbacks* Callbacks();

/// Reads what a stream has to send.
nghttp2_data_provider DataProvider();

}  // namespace twofold::h2
