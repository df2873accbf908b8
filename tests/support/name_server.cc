#include "tests/support/name_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace twofold::testing {
namespace {

constexpr const char* kResolvConf = "/etc/resolv.conf";
constexpr const char* kDnsmasq = "/usr/sbin/dnsmasq";
constexpr std::uint16_t kDnsPort = 53;

bool BringLoopbackUp() {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  const bool up = ioctl(any, SIOCSIFFLAGS, &request) == 0;
  close(any);
  return up;
}

int ListenSilently() {
  const int silent = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kDnsPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(silent, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0)
      << std::strerror(errno);
  return silent;
}

}  // namespace

std::string NameServer::Isolate() {
  if (access(kDnsmasq, X_OK) != 0) return std::string("needs ") + kDnsmasq;
  if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0 || !BringLoopbackUp() ||
      mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0) {
    return std::string("needs namespaces: ") + std::strerror(errno);
  }
  return {};
}

NameServer::NameServer() {
  const std::string ours = folder_ / "resolv.conf";
  std::ofstream(ours) << "nameserver 127.0.0.1\n";
  EXPECT_EQ(mount(ours.c_str(), kResolvConf, "", MS_BIND, nullptr), 0) << std::strerror(errno);
}

NameServer::~NameServer() {
  Refuse();
  umount2(kResolvConf, MNT_DETACH);
}

void NameServer::Answer(const std::string& name, const std::string& address) {
  Refuse();
  server_ = std::make_unique<Program>(
      kDnsmasq,
      std::vector<std::string>{"--keep-in-foreground", "--conf-file=/dev/null", "--log-facility=-",
                               "--user=root", "--pid-file=", "--no-resolv", "--no-hosts",
                               "--listen-address=127.0.0.1", "--bind-interfaces", "--local=//",
                               "--host-record=" + name + "," + address});
  EXPECT_TRUE(Await([this] { return server_->output().find("started") != std::string::npos; }))
      << server_->output();
}

void NameServer::Refuse() {
  server_.reset();
  if (silent_ >= 0) close(silent_);
  silent_ = -1;
}

void NameServer::Ignore() {
  Refuse();
  silent_ = ListenSilently();
}

}  // namespace twofold::testing
