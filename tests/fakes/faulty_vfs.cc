#include "tests/fakes/faulty_vfs.h"

#include <sqlite3.h>

#include <cstdint>

namespace twofold::results {
namespace {

/// SQLite knows a file system by a C structure, so what it is to do is not in an object.
struct Plan {
  FaultyVfs::Fault fault = FaultyVfs::Fault::kIo;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t count = 0;
  std::uint64_t operations = 0;
  std::uint64_t syncs = 0;
};
Plan plan;

bool FailsNow() {
  const std::uint64_t number = plan.operations++;
  return number >= plan.first && number - plan.first < plan.count;
}

/// Ours, followed in memory by the default file system's own.
struct File {
  sqlite3_file base;
  sqlite3_file* real;
};

sqlite3_file* Real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

int Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  if (!FailsNow()) return Real(file)->pMethods->xWrite(Real(file), data, size, offset);
  if (plan.fault == FaultyVfs::Fault::kFull) return SQLITE_FULL;
  if (plan.fault == FaultyVfs::Fault::kTorn) {
    static_cast<void>(Real(file)->pMethods->xWrite(Real(file), data, size / 2, offset));
  }
  return SQLITE_IOERR_WRITE;
}

int Sync(sqlite3_file* file, int flags) {
  ++plan.syncs;
  if (FailsNow()) return SQLITE_IOERR_FSYNC;
  return Real(file)->pMethods->xSync(Real(file), flags);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (FailsNow()) return SQLITE_IOERR_TRUNCATE;
  return Real(file)->pMethods->xTruncate(Real(file), size);
}

int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }
int Read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
  return Real(file)->pMethods->xRead(Real(file), data, size, offset);
}
int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}
int Lock(sqlite3_file* file, int kind) { return Real(file)->pMethods->xLock(Real(file), kind); }
int Unlock(sqlite3_file* file, int kind) { return Real(file)->pMethods->xUnlock(Real(file), kind); }
int CheckLock(sqlite3_file* file, int* held) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), held);
}
int Control(sqlite3_file* file, int what, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), what, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int Traits(sqlite3_file* file) { return Real(file)->pMethods->xDeviceCharacteristics(Real(file)); }
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, memory);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int remove) {
  return Real(file)->pMethods->xShmUnmap(Real(file), remove);
}

/// Version 2: with shared memory, which a write-ahead log needs; without memory maps.
const sqlite3_io_methods kMethods = {
    2,       Close,      Read,      Write,   Truncate,   Sync,   FileSize,
    Lock,    Unlock,     CheckLock, Control, SectorSize, Traits, ShmMap,
    ShmLock, ShmBarrier, ShmUnmap,  nullptr, nullptr,
};

int Open(sqlite3_vfs* self, sqlite3_filename path, sqlite3_file* file, int flags, int* flags_out) {
  auto* const real_vfs = static_cast<sqlite3_vfs*>(self->pAppData);
  auto* const ours = reinterpret_cast<File*>(file);
  ours->real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
  const int result = real_vfs->xOpen(real_vfs, path, ours->real, flags, flags_out);
  file->pMethods = ours->real->pMethods != nullptr ? &kMethods : nullptr;
  return result;
}

sqlite3_vfs vfs;

}  // namespace

FaultyVfs::FaultyVfs() {
  sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
  static const std::string name_of_vfs = name();
  vfs = *real;
  vfs.pNext = nullptr;
  vfs.zName = name_of_vfs.c_str();
  vfs.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
  vfs.pAppData = real;
  vfs.xOpen = Open;
  plan = {};
  sqlite3_vfs_register(&vfs, 0);
}

FaultyVfs::~FaultyVfs() { sqlite3_vfs_unregister(&vfs); }

void FaultyVfs::Fail(Fault fault, std::uint64_t first, std::uint64_t count) {
  plan = {.fault = fault, .first = first, .count = count};
}

std::uint64_t FaultyVfs::operations() const { return plan.operations; }
std::uint64_t FaultyVfs::syncs() const { return plan.syncs; }

}  // namespace twofold::results
