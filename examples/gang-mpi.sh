#!/bin/sh
# An MPI program over all members of a gang, without ssh, for the command suite.
set -u

usage() {
  cat <<'END'
Usage: gang-mpi.sh PROGRAM [ARGS]

Rank 0 starts `mpirun PROGRAM ARGS` with one process a member; mpirun reaches the others through
twofold-rsh. The other ranks only wait, and run what mpirun asks for.

twofold-backend sets the environment: TWOFOLD_GANG_RANK, TWOFOLD_GANG_SIZE, TWOFOLD_GANG_PEERS,
TWOFOLD_GANG for rank 0 and TWOFOLD_READY_FD for the others. All workers need --peers-address, Open MPI
4 and PROGRAM. GANG_MPI_NETWORK, such as 10.0.0.0/8 or eth0, chooses one of several networks; start
the workers with --allow-env GANG_MPI_NETWORK to pass it on.

    twofold-backend --queue mpi --backoff 5 --null-in --peers-address :0 -- \
        /opt/twofold/examples/gang-mpi.sh NPopenmpi -u 65536

Exit codes: those of mpirun; 2 wrong usage.
END
}

refuse() { echo "gang-mpi.sh: $* (see --help)" >&2; exit 2; }

# Runs until the worker stops it, when rank 0 is done.
wait_for_rank_0() {
  fd=${TWOFOLD_READY_FD:-}
  [ -n "$fd" ] || refuse "TWOFOLD_READY_FD is not set"
  eval "echo >&$fd"
  exec sleep 2147483647
}

# Members may share a node: --bind-to none. Only rank 0 can start daemons, and they stay attached to
# twofold-rsh: the two options after its name. Containers run as root, which mpirun allows only with
# two variables.
lead() {
  [ -n "${TWOFOLD_GANG:-}" ] || refuse "TWOFOLD_GANG is not set: the worker needs --peers-address"
  hosts=$(echo "$TWOFOLD_GANG_PEERS" | tr ' ' ',')
  network=${GANG_MPI_NETWORK:-}
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  exec mpirun --mca plm rsh --mca plm_rsh_agent twofold-rsh --mca plm_rsh_no_tree_spawn 1 --leave-session-attached \
    --bind-to none --mca pml ob1 --mca osc pt2pt --mca btl tcp,self \
    ${network:+--mca oob_tcp_if_include "$network" --mca btl_tcp_if_include "$network"} \
    --host "$hosts" -np "$TWOFOLD_GANG_SIZE" "$@"
}

case ${1:-} in -h | --help) usage; exit 0 ;; '') refuse "no program" ;; esac
rank=${TWOFOLD_GANG_RANK:-}
[ -n "$rank" ] || refuse "TWOFOLD_GANG_RANK is not set: it is the program of a gang"
[ "$rank" = 0 ] || wait_for_rank_0
lead "$@"
