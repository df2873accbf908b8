#pragma once

namespace twofold::rpc {

/// Has the kernel watch a TCP connection, or those that a listening socket will accept: a peer
/// whose host vanished without a word is noticed within 11 s, and the stream then breaks. So it
/// does when a program reads nothing for as long, and the buffers between are full.
///
/// Pings do the same at a price: each wakes up the program at both ends. Ten thousand idle workers,
/// asked every 20 s, cost the frontend a twentieth of a core for these alone.
///
/// Threads  Any.
/// Errors   None: a socket that takes no such option is left as it is.
void KeepTcpAlive(int socket);

}  // namespace twofold::rpc
