#include "bench/peers/socket_peer.h"

namespace twofold::bench {

void ClientConnection::Pump() {
  const Instant now = Now();
  bool any = false;
  for (std::string_view job = load_.Next(now); !job.empty(); job = load_.Next(now)) {
    Submit(job);
    any = true;
  }
  if (any) Submitted();
}

void WorkerConnection::OnJob(std::string_view id, std::string_view payload) {
  if (jobs_.at_once()) return Answer(id, payload);
  jobs_.Hold(Now(), {std::string(id), std::string(payload)});
}

void WorkerConnection::OnDue(Instant now) {
  jobs_.TakeDue(now, [this](const Job& job) { Answer(job.id, job.payload); });
  Answered();
}

void SocketPeer::Go(const std::vector<ClientConnection*>& clients) {
  for (ClientConnection* client : clients) client->Pump();
  workers_.RunForEver();
  clients_.RunForEver();
}

}  // namespace twofold::bench
