#pragma once

namespace twofold::rpc {

/// Has the kernel watch every TCP connection that this process has, and those that its listening
/// sockets will accept: a peer whose host vanished without a word is noticed within 11 s, and the
/// stream then breaks. So it does when a program reads nothing for as long, and the buffers between
/// are full.
///
/// gRPC's own pings do the same at a price: each wakes up the program at both ends. Ten thousand
/// idle workers, asked every 20 s, cost the frontend a twentieth of a core for these alone. gRPC
/// does not let us at its sockets (its public headers name a socket mutator, but do not define
/// it), so we look for them; call it when they are there.
///
/// Threads  Any.
/// Errors   None: a socket that takes no such option is left as it is.
/// Cost     A few system calls for each open file.
void KeepTcpAlive();

/// The same for one socket. One that listens gives it on to what it accepts.
void KeepTcpAlive(int fd);

}  // namespace twofold::rpc
