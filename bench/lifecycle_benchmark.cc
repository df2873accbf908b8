// What `twofold lifecycle run` itself carries: creations a second over 1, 4 and 16 connections, as
// a part of what bare sockets carry to the same server, a child process that sends each body back;
// how many events of a watch one core parses and observes; and how much later than the server sent
// them moments are seen.
//
//   lifecycle_benchmark [CREATES [PODS [SECONDS]]]

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/run_plan.h"
#include "kubernetes/lifecycle/sending/submitter.h"
#include "kubernetes/lifecycle/watching/follower.h"
#include "lib/common/instant.h"
#include "tests/fakes/kube_api.h"

namespace twofold::lifecycle {
namespace {

struct Load {
  std::uint32_t creates = 4000;
  int pods = 20'000;  // four events each
  int seconds = 10;   // of the part that asks how late moments are seen
};

// ---- bare sockets

[[noreturn]] void Give(const char* what) {
  perror(what);
  _exit(1);
}

int ListenAnywhere(std::uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) != 0 || listen(listener, 64) != 0) Give("listen");
  getsockname(listener, any, &size);
  port = ntohs(address.sin_port);
  return listener;
}

void NoDelay(int peer) {
  const int on = 1;
  setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int ConnectTo(std::uint16_t port) {
  const int peer = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Give("connect");
  NoDelay(peer);
  return peer;
}

bool SendAll(int peer, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(peer, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

/// A message with Content-Length. What came after it stays in `buffer`.
struct Message {
  std::string head;
  std::string body;
};

bool Receive(int peer, std::string& buffer, Message& message) {
  const auto more = [&] {
    char bytes[16384];
    const ssize_t size = recv(peer, bytes, sizeof bytes, 0);
    if (size > 0) buffer.append(bytes, static_cast<std::size_t>(size));
    return size > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return false;
  }
  message.head = buffer.substr(0, end + 4);
  buffer.erase(0, end + 4);
  std::size_t length = 0;
  const std::size_t field = message.head.find("Content-Length: ");
  if (field != std::string::npos) length = std::stoul(message.head.substr(field + 16));
  while (buffer.size() < length) {
    if (!more()) return false;
  }
  message.body = buffer.substr(0, length);
  buffer.erase(0, length);
  return true;
}

std::string Answer(const char* status, const std::string& body) {
  return absl::StrCat("HTTP/1.1 ", status,
                      "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
                      "\r\n\r\n", body);
}

/// A server in a child process, so that its time is not ours; it ends with the object.
class Child {
 public:
  explicit Child(const std::function<void(int peer)>& serve) {
    const int listener = ListenAnywhere(port_);
    pid_ = fork();
    if (pid_ < 0) Give("fork");
    if (pid_ == 0) Serve(listener, serve);
    close(listener);
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] kube::Access access() const {
    kube::Config config;
    config.cluster.server = absl::StrCat("http://127.0.0.1:", port_);
    return kube::Open(config);
  }

 private:
  [[noreturn]] static void Serve(int listener, const std::function<void(int)>& serve) {
    for (;;) {
      const int peer = accept(listener, nullptr, nullptr);
      if (peer < 0) _exit(0);
      NoDelay(peer);
      std::thread([&serve, peer] {
        serve(peer);
        close(peer);
      }).detach();
    }
  }

  std::uint16_t port_ = 0;
  pid_t pid_ = 0;
};

void Echo(int peer) {
  std::string buffer;
  Message message;
  while (Receive(peer, buffer, message)) {
    const bool creates = absl::StartsWith(message.head, "POST");
    if (!SendAll(peer, creates ? Answer("201 Created", message.body)
                               : Answer("404 Not Found", "{\"kind\":\"Status\"}"))) {
      return;
    }
  }
}

// ---- creations

SendPlan Jobs(std::uint32_t count, int connections) {
  RunPlan plan{.run = {"default", "bench"}};
  plan.spec.set_kind("job");
  plan.spec.set_count(count);
  plan.spec.set_parallel(static_cast<std::uint32_t>(connections));
  return SendingOf(plan).value();
}

double Submitted(const Child& server, std::uint32_t count, int connections) {
  const SendPlan plan = Jobs(count, connections);
  const kube::Access access = server.access();
  Observed observed(*plan.kind, plan.each.run, AnchorNow());
  const Instant begin = Now();
  Submitter submitter(access, plan, {kube::kJobs}, observed);
  while (!submitter.Await(Now() + std::chrono::seconds(1))) {
  }
  const double seconds = ToSeconds(Now() - begin);
  if (submitter.counts().created != count) Give("not all were created");
  return count / seconds;
}

/// The same requests, written and read with nothing around them.
double Bare(const Child& server, std::uint32_t count, int connections) {
  const kube::Call call =
      kube::Create(kube::kJobs, RenderOne(Jobs(count, connections), 0)->front());
  const std::string request = absl::StrCat(
      "POST ", call.target, " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n",
      "Content-Length: ", call.body.size(), "\r\n\r\n", call.body);
  std::atomic<std::uint32_t> left = count;
  std::vector<std::thread> threads;
  const Instant begin = Now();
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&] {
      const int peer = ConnectTo(server.port());
      std::string buffer;
      Message message;
      for (auto mine = left.load(); mine > 0;) {
        if (!left.compare_exchange_weak(mine, mine - 1)) continue;
        if (!SendAll(peer, request) || !Receive(peer, buffer, message)) Give("bare");
        mine = left.load();
      }
      close(peer);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return count / ToSeconds(Now() - begin);
}

void MeasureCreations(const Load& load) {
  const Child server(Echo);
  for (const int connections : {1, 4, 16}) {
    const double bare = Bare(server, load.creates, connections);
    const double ours = Submitted(server, load.creates, connections);
    std::cout << absl::StrFormat(
                     "creations, %2d connections: %6.0f/s, %.2f of the %6.0f/s of bare sockets\n",
                     connections, ours, ours / bare, bare)
              << std::flush;
  }
}

// ---- events of a watch

Object PodAt(const std::string& name, int step) {
  Object pod = {{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata",
                 {{"name", name},
                  {"namespace", "default"},
                  {"uid", "uid-" + name},
                  {"resourceVersion", std::to_string(step + 1)},
                  {"creationTimestamp", "2026-11-23T10:00:00Z"},
                  {"labels", {{kRunLabel, "bench"}, {kWorkloadLabel, name}}}}},
                {"spec", {{"containers", {{{"name", "main"}, {"image", "busybox:1.36"}}}}}},
                {"status", {{"phase", "Pending"}}}};
  // As large as what API servers send of a small pod: 3 KiB, most of it who wrote what.
  pod["metadata"]["managedFields"] = {
      {{"manager", "kubelet"}, {"fieldsV1", std::string(2200, 'f')}}};
  const auto add = [&](const char* type) {
    pod["status"]["conditions"].push_back(
        {{"type", type}, {"status", "True"}, {"lastTransitionTime", "2026-11-23T10:00:01Z"}});
  };
  if (step >= 1) pod["spec"]["nodeName"] = "n1";
  if (step >= 1) add("PodScheduled");
  if (step >= 2) pod["status"]["phase"] = "Running";
  if (step >= 2) add("Ready");
  if (step >= 3) pod["status"]["phase"] = "Succeeded";
  return pod;
}

std::string ChunkOf(const std::string& type, const Object& object) {
  const std::string line =
      absl::StrCat(R"({"type":")", type, R"(","object":)", object.dump(), "}\n");
  return absl::StrCat(absl::Hex(line.size()), "\r\n", line, "\r\n");
}

void SendWatch(int peer, const std::string& events) {
  std::string buffer;
  Message message;
  if (!Receive(peer, buffer, message)) return;
  const Object bookmark = {
      {"kind", "Pod"},
      {"metadata",
       {{"resourceVersion", "1"}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}};
  SendAll(peer,
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
          "Transfer-Encoding: chunked\r\n\r\n");
  SendAll(peer, ChunkOf("BOOKMARK", bookmark));
  SendAll(peer, events);
  pause();
}

Duration CpuTime() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

std::string NameOfPod(int i) { return absl::StrCat("p", i); }

void Plan(Observer& observer, int pods) {
  for (int i = 0; i < pods; ++i) {
    if (!observer.Tell(input::Plan{"default", NameOfPod(i), 1, Now()}).ok()) Give("too many pods");
    observer.Tell(input::Sent{"default", NameOfPod(i), Now()});
  }
}

bool LastIs(const Observer& observer, Moment moment) {
  return Of(SightsOf(observer.lives().back()), moment).has_value();
}

void MeasureEvents(const Load& load) {
  constexpr int kSteps = 4;
  std::string events;
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < load.pods; ++i) {
      events += ChunkOf(step == 0 ? "ADDED" : "MODIFIED", PodAt(NameOfPod(i), step));
    }
  }
  const Child server([&](int peer) { SendWatch(peer, events); });
  Observer observer(**FindKind("pod"), "bench");
  Plan(observer, load.pods);
  const Duration cpu = CpuTime();
  const Instant begin = Now();
  const auto watcher = kube::Watcher::Start(server.access(), {kube::kPods, "default"});
  while (!LastIs(observer, Moment::kFinished)) {
    const auto event = watcher->Next(Now() + std::chrono::seconds(5));
    if (!event) Give("the watch is silent");
    if (event->object.is_null()) continue;
    observer.Tell(input::Seen{Event::kModified, event->object, event->arrived});
  }
  const double busy = ToSeconds(CpuTime() - cpu);
  const double count = static_cast<double>(kSteps) * load.pods;
  std::cout << absl::StrFormat(
                   "events: %.0f of %.1f KiB in %.2f s; parsed and observed %.0f a CPU second\n",
                   count, static_cast<double>(events.size()) / count / 1024,
                   ToSeconds(Now() - begin), count / busy)
            << std::flush;
}

// ---- how late moments are seen

void MeasureLag(const Load& load) {
  constexpr int kRate = 100;
  fakes::KubeApi api;
  api.sends();  // kept from here on
  const int pods = kRate * load.seconds;
  Observed observed(**FindKind("pod"), "bench", AnchorNow());
  Follower follower(api.access(), {"bench", {{kube::kPods, "default"}}, "bench"}, {}, observed);
  if (!follower.AwaitSync(Now() + std::chrono::seconds(10)).ok())
    Give("the watch does not come up");
  observed.With([&](Observer& observer) { Plan(observer, pods); });
  const Instant begin = Now();
  for (int i = 0; i < pods; ++i) {
    std::this_thread::sleep_until(begin + std::chrono::seconds(i) / kRate);
    Object pod = PodAt(NameOfPod(i), 0);
    pod["metadata"].erase("resourceVersion");
    api.Put(kube::kPods, pod);
  }
  while (!observed.With([](Observer& each) { return LastIs(each, Moment::kCreated); })) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::map<std::string, Instant> stamps;
  for (const fakes::KubeSend& each : api.sends()) stamps.try_emplace(each.name, each.at);
  std::vector<double> late;
  observed.With([&](Observer& observer) {
    for (const Life& life : observer.lives()) {
      const auto& seen = Of(life.own, Moment::kCreated);
      if (seen) late.push_back(ToSeconds(seen->at - stamps.at(life.name)) * 1e3);
    }
  });
  std::sort(late.begin(), late.end());
  std::cout << absl::StrFormat(
      "accuracy, %d pods at %d/s: seen after they were sent by %.3f ms (median), %.3f ms (p99)\n",
      late.size(), kRate, late[late.size() / 2], late[late.size() * 99 / 100]);
}

int Main(int argc, const char* const* argv) {
  Load load;
  const bool is_read = (argc < 2 || absl::SimpleAtoi(argv[1], &load.creates)) &&
                       (argc < 3 || absl::SimpleAtoi(argv[2], &load.pods)) &&
                       (argc < 4 || absl::SimpleAtoi(argv[3], &load.seconds));
  if (!is_read || load.creates == 0 || load.pods <= 0 || load.seconds <= 0) {
    std::cerr << "lifecycle_benchmark [CREATES [PODS [SECONDS]]]\n";
    return 2;
  }
  MeasureCreations(load);
  MeasureEvents(load);
  MeasureLag(load);
  return 0;
}

}  // namespace
}  // namespace twofold::lifecycle

int main(int argc, char** argv) { return twofold::lifecycle::Main(argc, argv); }
