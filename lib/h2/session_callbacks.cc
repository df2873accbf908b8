#include "lib/h2/session_callbacks.h"

#include <algorithm>
#include <string_view>

#include "lib/h2/session.h"

namespace twofold::h2 {
namespace {

constexpr std::size_t kFrameHead = 9;

std::string_view View(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

struct SessionCallbacks {
  static Session& Of(void* user) { return *static_cast<Session*>(user); }

  static int BeginFrame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
    return Of(user).OnBeginFrame(*head);
  }
  static int BeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return Of(user).OnBeginHeaders(*frame);
  }
  static int Header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    return Of(user).OnHeader(frame->hd.stream_id, View(name, name_size), View(value, value_size));
  }
  static int Frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return Of(user).OnFrame(*frame);
  }
  static int InvalidFrame(nghttp2_session*, const nghttp2_frame* frame, int error, void* user) {
    return Of(user).OnInvalidFrame(*frame, error);
  }
  static int Chunk(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                   std::size_t size, void* user) {
    return Of(user).OnChunk(id, View(data, size));
  }
  static int StreamClosed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
    return Of(user).OnStreamClosed(id, code);
  }
  static int Sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Of(user).OnSent(*frame);
    return 0;
  }
  static int NotSent(nghttp2_session*, const nghttp2_frame* frame, int, void* user) {
    Of(user).OnNotSent(*frame);
    return 0;
  }
  static ssize_t DataLength(nghttp2_session*, std::uint8_t, std::int32_t id,
                            std::int32_t connection_window, std::int32_t stream_window,
                            std::uint32_t frame_bytes, void* user) {
    return Of(user).DataLength(id, std::min(connection_window, stream_window), frame_bytes);
  }
  static ssize_t ReadData(nghttp2_session*, std::int32_t id, std::uint8_t*, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source*, void* user) {
    return Of(user).ReadData(id, size, *flags);
  }
  static int SendData(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head,
                      std::size_t size, nghttp2_data_source*, void* user) {
    return Of(user).SendData(frame->hd.stream_id, View(head, kFrameHead), size);
  }

  static nghttp2_session_callbacks* Make() {
    nghttp2_session_callbacks* made = nullptr;
    nghttp2_session_callbacks_new(&made);
    nghttp2_session_callbacks_set_on_begin_frame_callback(made, BeginFrame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(made, Header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, Frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, InvalidFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, StreamClosed);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, Sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made, NotSent);
    nghttp2_session_callbacks_set_data_source_read_length_callback(made, DataLength);
    nghttp2_session_callbacks_set_send_data_callback(made, SendData);
    return made;
  }
};

const nghttp2_session_callbacks* Callbacks() {
  static const nghttp2_session_callbacks* const callbacks = SessionCallbacks::Make();
  return callbacks;
}

nghttp2_data_provider DataProvider() {
  return {.source = {.ptr = nullptr}, .read_callback = SessionCallbacks::ReadData};
}

}  // namespace twofold::h2
