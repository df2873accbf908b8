#pragma once

#include <vector>

#include "lib/spec/kind.h"

namespace twofold::spec::kinds {

/// Rows of the table of kinds, one file each. Names, defaults and ranges of fields are those of
/// kube-perftest v1alpha1, where it has them.
Kind IPerf();
Kind MpiPingPong();
Kind Osu();
Kind Fio();
Kind Media();
Kind OpenFoam();
Kind RdmaBandwidth();
Kind RdmaLatency();
Kind PyTorch();
Kind ObjectStorage();

/// `own` and then the fields that every kind has.
std::vector<Field> WithCommon(std::vector<Field> own);

/// "tcp" or "rdma", as kube-perftest writes them.
FieldType Transport();

/// The port of sshd in kube-perftest's pods.
Field SshPort();

/// What both RDMA kinds have.
std::vector<Field> RdmaFields();

}  // namespace twofold::spec::kinds
