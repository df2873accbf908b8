#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/fields.h"
#include "lib/common/result.h"
#include "lib/security/tls_material.h"

/// Certificates that a process makes for itself. Each has a CA of its own, which has signed nothing
/// else and never will: its key is gone when the certificate is there. So a client that trusts the
/// CA trusts this process alone.
namespace twofold::aggregated {

struct OwnCertificate {
  security::TlsMaterial tls;  ///< without a CA for peers
  std::string ca;             ///< PEM
  kube::UnixTime expires;
};

/// For a server that is reached by `name`, a DNS name. `maker`: of this process, and of its
/// successor after a restart; part of the CA's name. It counts from an hour before `now`, as clocks
/// differ.
/// Errors   kInternal: OpenSSL cannot make it.
/// Cost     Two keys and two signatures: some milliseconds.
Result<OwnCertificate> MakeCertificate(const std::string& name, const std::string& maker,
                                       kube::UnixTime now, Duration lasts);

/// The CAs that several processes have put into one bundle (PEM), and the `own` ones of this
/// process: what of the bundle still counts, then those that it lacks.
///
/// Left out: what has expired; earlier CAs of the same maker, which has forgotten their keys; and
/// the oldest of very many. What is no certificate goes as well.
std::string MergeBundle(const std::string& bundle, const std::vector<std::string>& own,
                        kube::UnixTime now);

}  // namespace twofold::aggregated
