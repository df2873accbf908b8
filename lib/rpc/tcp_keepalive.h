#pragma once

namespace twofold::rpc {

/// Has the kernel watch a TCP connection, or those that a listening socket will accept: a peer
/// whose host vanished without a word is noticed, and the stream then breaks, 10 s after its last
/// sign of life, or after the first bytes since then that it does not confirm: within 15 s where
/// something is sent every 5 s. So the stream does when a program reads nothing for as long, and
/// the buffers between are full.
///
/// Pings do the same at a price: each wakes up the program at both ends. Ten thousand idle workers,
/// asked every 20 s, cost the frontend a twentieth of a core for these alone.
///
/// Threads  Any.
/// Errors   None: a socket that takes no such option is left as it is.
void KeepTcpAlive(int socket);

}  // namespace twofold::rpc
