#include "lib/rpc/connection_table.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <utility>

#include "lib/common/descriptors.h"

namespace twofold::rpc {
namespace {

// The number of the socket behind a descriptor; 0: there is none.
ino_t SocketOf(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

// A descriptor of our own for the socket: gRPC may close its one at any moment, and the number may
// then be another's. Without a socket: it has ended.
Descriptor Hold(int fd, ino_t socket) {
  Descriptor held(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  return SocketOf(held.get()) == socket ? std::move(held) : Descriptor();
}

std::uint64_t ReceivedBy(int fd) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info.tcpi_bytes_received;
}

}  // namespace

ConnectionTable::Connection ConnectionTable::Add(int fd, const std::string& host) {
  if (const auto before = entries_.find(fd); before != entries_.end()) Forget(before);
  ++of_host_[host];
  return entries_[fd] = {fd, SocketOf(fd), host};
}

std::size_t ConnectionTable::OfHost(const std::string& host) const {
  const auto found = of_host_.find(host);
  return found == of_host_.end() ? 0 : found->second;
}

void ConnectionTable::Forget(Entries::iterator entry) {
  const auto host = of_host_.find(entry->second.host);
  if (--host->second == 0) of_host_.erase(host);
  entries_.erase(entry);
}

void ConnectionTable::Sweep() {
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto entry = next++;
    if (SocketOf(entry->first) != entry->second.socket) Forget(entry);
  }
}

std::vector<ConnectionTable::Connection> ConnectionTable::Measure() {
  std::vector<Connection> all;
  for (auto& [fd, entry] : entries_) {
    const Descriptor held = Hold(fd, entry.socket);
    if (held.get() < 0) continue;
    const std::uint64_t before = std::exchange(entry.received, ReceivedBy(held.get()));
    if (entry.received < before) continue;  // it has been broken off, and gRPC is about to see it
    all.push_back({fd, entry.socket, entry.host, entry.received - before});
  }
  return all;
}

void ConnectionTable::BreakOff(const Connection& connection) {
  const Descriptor held = Hold(connection.fd, connection.socket);
  if (held.get() < 0) return;
  // Ends the connection with a reset and drops what waits to be read: after a shutdown gRPC would
  // go on with that.
  sockaddr nothing{};
  nothing.sa_family = AF_UNSPEC;
  if (connect(held.get(), &nothing, sizeof(nothing)) != 0) shutdown(held.get(), SHUT_RDWR);
}

}  // namespace twofold::rpc
