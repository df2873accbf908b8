// RabbitMQ. Transient: the remote procedure call pattern, a transient queue, direct reply-to.
// Durable: a durable queue, persistent messages, publisher confirms, an exclusive queue for
// results. Workers prefetch and acknowledge each job. The library blocks, so each connection has a
// thread.

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <thread>

#include "bench/peers/fail.h"
#include "bench/peers/held_jobs.h"
#include "bench/peers/peer_table.h"

namespace twofold::bench {
namespace {

constexpr amqp_channel_t kChannel = 1;
constexpr int kPersistent = 2;
constexpr std::string_view kDirectReply = "amq.rabbitmq.reply-to";
constexpr int kOpenLoopPrefetch = 10'000;  // enough to hold all that come

amqp_bytes_t Bytes(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }

std::string_view View(amqp_bytes_t bytes) {
  return {static_cast<const char*>(bytes.bytes), bytes.len};
}

void Check(const amqp_rpc_reply_t& reply, const char* what) {
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) Fail(fmt::format("rabbitmq: {}", what));
}

void Check(int status, const char* what) {
  if (status != AMQP_STATUS_OK) {
    Fail(fmt::format("rabbitmq: {}: {}", what, amqp_error_string2(status)));
  }
}

/// One connection with one channel.
class Channel {
 public:
  explicit Channel(const Target& target) : state_(amqp_new_connection()) {
    amqp_socket_t* socket = amqp_tcp_socket_new(state_);
    Check(amqp_socket_open(socket, "127.0.0.1", target.ports.front()), "connect");
    Check(amqp_login(state_, "/", 0, 131'072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"),
          "login");
    amqp_channel_open(state_, kChannel);
    Check(amqp_get_rpc_reply(state_), "channel");
  }

  void Declare(std::string_view queue, bool durable, bool exclusive) {
    amqp_queue_declare(state_, kChannel, Bytes(queue), 0, durable, exclusive, exclusive,
                       amqp_empty_table);
    Check(amqp_get_rpc_reply(state_), "declare");
  }

  void Prefetch(int jobs) {
    amqp_basic_qos(state_, kChannel, 0, static_cast<std::uint16_t>(jobs), 0);
    Check(amqp_get_rpc_reply(state_), "prefetch");
  }

  void Consume(std::string_view queue, bool acknowledged) {
    amqp_basic_consume(state_, kChannel, Bytes(queue), amqp_empty_bytes, 0, !acknowledged, 0,
                       amqp_empty_table);
    Check(amqp_get_rpc_reply(state_), "consume");
  }

  void Confirm() {
    amqp_confirm_select(state_, kChannel);
    Check(amqp_get_rpc_reply(state_), "confirm");
  }

  void Publish(std::string_view queue, std::string_view payload, std::string_view reply_to,
               bool persistent) {
    amqp_basic_properties_t properties{};
    properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    properties.delivery_mode = persistent ? kPersistent : 1;
    if (!reply_to.empty()) {
      properties._flags |= AMQP_BASIC_REPLY_TO_FLAG;
      properties.reply_to = Bytes(reply_to);
    }
    Check(amqp_basic_publish(state_, kChannel, amqp_empty_bytes, Bytes(queue), 0, 0, &properties,
                             Bytes(payload)),
          "publish");
  }

  void Acknowledge(std::uint64_t tag) {
    Check(amqp_basic_ack(state_, kChannel, tag, 0), "acknowledge");
  }

  /// Waits for a delivery until `until` and calls visit(envelope). Counts confirms meanwhile.
  template <typename Visit>
  void Next(Instant until, Visit&& visit) {
    if (!AwaitData(until)) return;
    amqp_maybe_release_buffers(state_);
    const timeval at_once{};
    amqp_envelope_t envelope;
    const amqp_rpc_reply_t reply = amqp_consume_message(state_, &envelope, &at_once, 0);
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) {
      visit(envelope);
      amqp_destroy_envelope(&envelope);
    } else if (reply.library_error == AMQP_STATUS_UNEXPECTED_STATE) {
      ReadConfirm();
    } else if (reply.library_error != AMQP_STATUS_TIMEOUT) {
      Check(reply, "consume");
    }
  }

  [[nodiscard]] std::uint64_t confirmed() const { return confirmed_; }

  void ReadConfirm() {
    amqp_frame_t frame;
    Check(amqp_simple_wait_frame(state_, &frame), "wait");
    if (frame.frame_type != AMQP_FRAME_METHOD) return;
    if (frame.payload.method.id != AMQP_BASIC_ACK_METHOD) Fail("rabbitmq: an unexpected method");
    // One confirm may stand for all up to its tag.
    confirmed_ = static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded)->delivery_tag;
  }

 private:
  // By itself the library waits in whole milliseconds: shorter waits would be a spin.
  bool AwaitData(Instant until) {
    if (amqp_frames_enqueued(state_) != 0 || amqp_data_in_buffer(state_) != 0) return true;
    const auto left = std::clamp<Duration>(until - Now(), Duration(0), std::chrono::seconds(1));
    const timespec timeout{.tv_sec = left.count() / 1'000'000'000,
                           .tv_nsec = left.count() % 1'000'000'000};
    pollfd socket{.fd = amqp_get_sockfd(state_), .events = POLLIN, .revents = 0};
    return ppoll(&socket, 1, &timeout, nullptr) > 0;
  }

  amqp_connection_state_t state_;
  std::uint64_t confirmed_ = 0;
};

struct Job {
  std::string payload;
  std::string reply_to;
  std::uint64_t tag;
};

[[noreturn]] void RunWorker(const Task& task, int index) {
  Channel channel(task.target);
  channel.Prefetch(task.cell.test == TestKind::kOpenLoop ? kOpenLoopPrefetch : task.cell.take);
  channel.Consume(task.name, true);
  HeldJobs<Job> jobs(FromSeconds(task.cell.run_seconds), static_cast<std::uint64_t>(index + 1));
  const auto answer = [&](std::string_view payload, std::string_view reply_to, std::uint64_t tag) {
    channel.Publish(reply_to, payload, {}, false);
    channel.Acknowledge(tag);
  };
  for (;;) {
    channel.Next(jobs.NextDue(), [&](const amqp_envelope_t& envelope) {
      const std::string_view payload = View(envelope.message.body);
      const std::string_view reply_to = View(envelope.message.properties.reply_to);
      if (jobs.at_once()) return answer(payload, reply_to, envelope.delivery_tag);
      jobs.Hold(Now(), {std::string(payload), std::string(reply_to), envelope.delivery_tag});
    });
    jobs.TakeDue(Now(), [&](const Job& job) { answer(job.payload, job.reply_to, job.tag); });
  }
}

[[noreturn]] void RunClient(const Task& task, std::size_t index, ClientLoad& load, bool durable) {
  Channel channel(task.target);
  std::string results(kDirectReply);
  if (durable) {
    results = fmt::format("r{}{}", index, task.name);
    channel.Declare(results, false, true);
  }
  channel.Consume(results, false);
  if (durable) channel.Confirm();
  for (;;) {
    const Instant now = Now();
    for (std::string_view job = load.Next(now); !job.empty(); job = load.Next(now)) {
      channel.Publish(task.name, job, results, durable);
    }
    channel.Next(load.NextDue(), [&](const amqp_envelope_t& envelope) {
      load.Finish(View(envelope.message.body), Now());
    });
  }
}

class Rabbit final : public Peer {
 public:
  explicit Rabbit(bool durable) : durable_(durable) {}

  void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) override {
    Channel(task.target).Declare(task.name, durable_, false);
    for (int i = 0; i < task.cell.connections; ++i) {
      std::thread([task, i] { RunWorker(task, i); }).detach();
    }
    for (std::size_t i = 0; i < loads.size(); ++i) {
      std::thread([=, this, &load = *loads[i]] { RunClient(task, i, load, durable_); }).detach();
    }
  }

  void Enqueue(const Task& task, const std::string& payload) override {
    Channel channel(task.target);
    channel.Declare(task.name, durable_, false);
    channel.Confirm();
    const auto count = static_cast<std::uint64_t>(task.cell.count);
    const auto window = static_cast<std::uint64_t>(task.cell.outstanding);
    for (std::uint64_t sent = 0; channel.confirmed() < count;) {
      for (; sent < count && sent - channel.confirmed() < window; ++sent) {
        channel.Publish(task.name, payload, {}, durable_);
      }
      channel.ReadConfirm();
    }
  }

 private:
  const bool durable_;
};

}  // namespace

std::unique_ptr<Peer> MakeRabbitTransient() { return std::make_unique<Rabbit>(false); }
std::unique_ptr<Peer> MakeRabbitDurable() { return std::make_unique<Rabbit>(true); }

}  // namespace twofold::bench
