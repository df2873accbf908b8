#pragma once

#include <string>

#include "kubernetes/api/call.h"

/// Who may go before whom: finalizers, and objects that an object owns. Pure: calls as values.
namespace twofold::controller {

/// metadata.deletionTimestamp is set: the object goes when its finalizers are gone.
bool IsBeingDeleted(const kube::Json& object);

/// Whether the object waits for `finalizer` ("twofold.dev/run") before it goes.
bool HasFinalizer(const kube::Json& object, const std::string& finalizer);

/// A patch that is a Conflict if the object has changed since, as lists are replaced as a whole.
kube::Call AddFinalizer(const kube::Resource& resource, const kube::Json& object,
                        const std::string& finalizer, const kube::WriteOptions& options = {});
kube::Call RemoveFinalizer(const kube::Resource& resource, const kube::Json& object,
                           const std::string& finalizer, const kube::WriteOptions& options = {});

/// An entry of metadata.ownerReferences: `owner` controls the object, which goes with it, and
/// before it where the deletion is a foreground one. Both are in one namespace.
kube::Json OwnerReference(const kube::Json& owner);

/// Server-side apply of `object`, which `owner` owns from then on: whoever has set these fields
/// otherwise, they become so again.
kube::Call ApplyOwned(const kube::Resource& resource, const kube::Json& owner, kube::Json object,
                      const kube::WriteOptions& options = {});

}  // namespace twofold::controller
