/*
 * Preloaded into a process, records what it writes, syncs, names and removes below one directory, in the order in which
 * the system did it: from that, power-cut.ts makes what a power cut at any moment may leave. LevelDB writes through the
 * C library, where nothing in JavaScript sees it.
 *
 * RECORDED_ROOT is the directory, with a slash at its end; RECORDED_LOG the file for the record. A record is
 * `kind (1) | file descriptor (4) | number (8) | path length (4) | data length (4) | path | data`, little endian:
 *
 *   o  opened: flags, path              w  written: offset, or -1 for the end, data
 *   c  closed                           t  truncated: length
 *   b  a sync begins: its number        f  that sync has ended
 *   r  renamed: path, new path in data  l  linked: likewise
 *   u  removed: path
 *
 * The record of a call is written while no other recorded call runs. Syncs are only recorded: the disk need not do them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static int log_file = -1;
static char is_recorded[FILES];
static char is_appended[FILES];
static int64_t syncs;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORDED_LOG");
  root = getenv("RECORDED_ROOT");
  if (root == NULL || path == NULL) return;
  int file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  /* Out of the way of programs that count their descriptors. */
  log_file = fcntl(file, F_DUPFD_CLOEXEC, 1000);
  syscall(SYS_close, file);
}

static void *next_of(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))next_of(#name)

static int is_below(const char *path) {
  return log_file >= 0 && path != NULL && strncmp(path, root, strlen(root)) == 0;
}

static int is_known(int file) {
  return file >= 0 && file < FILES && is_recorded[file];
}

static void record(char kind, int file, int64_t number, const char *path, const void *data, size_t length) {
  char head[21];
  int32_t descriptor = file;
  uint32_t path_length = path == NULL ? 0 : strlen(path), data_length = length;
  head[0] = kind;
  memcpy(head + 1, &descriptor, 4);
  memcpy(head + 5, &number, 8);
  memcpy(head + 13, &path_length, 4);
  memcpy(head + 17, &data_length, 4);
  struct iovec parts[] = {{head, sizeof head}, {(void *)path, path_length}, {(void *)data, data_length}};
  if (syscall(SYS_writev, log_file, parts, 3) != (long)(sizeof head + path_length + data_length)) abort();
}

static void enter(void) { pthread_mutex_lock(&lock); }

static void leave(void) {
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
}

static void note_opened(int file, const char *path, int flags) {
  if (file < 0) return;
  if (file >= FILES) abort();
  is_recorded[file] = 1;
  is_appended[file] = (flags & O_APPEND) != 0;
  record('o', file, flags, path, NULL, 0);
}

#define OPEN(call) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  } \
  if (!is_below(path)) return call; \
  enter(); \
  int file = call; \
  note_opened(file, path, flags); \
  leave(); \
  return file

int open(const char *path, int flags, ...) { NEXT(open); OPEN(next(path, flags, mode)); }
int open64(const char *path, int flags, ...) { NEXT(open64); OPEN(next(path, flags, mode)); }
int openat(int at, const char *path, int flags, ...) { NEXT(openat); OPEN(next(at, path, flags, mode)); }
int openat64(int at, const char *path, int flags, ...) { NEXT(openat64); OPEN(next(at, path, flags, mode)); }

int close(int file) {
  NEXT(close);
  if (!is_known(file)) return next(file);
  enter();
  record('c', file, 0, NULL, NULL, 0);
  is_recorded[file] = 0;
  int result = next(file);
  leave();
  return result;
}

static int64_t offset_of(int file) {
  return is_appended[file] ? -1 : lseek(file, 0, SEEK_CUR);
}

/* Both are called under the lock. */
static ssize_t write_recorded(int file, const void *data, size_t length) {
  NEXT(write);
  int64_t offset = offset_of(file);
  ssize_t written = next(file, data, length);
  if (written > 0) record('w', file, offset, NULL, data, written);
  return written;
}

static ssize_t pwrite_recorded(int file, const void *data, size_t length, off64_t offset) {
  NEXT(pwrite64);
  ssize_t written = next(file, data, length, offset);
  if (written > 0) record('w', file, is_appended[file] ? -1 : offset, NULL, data, written);
  return written;
}

#define LOCKED(type, call) \
  enter(); \
  type result = call; \
  leave(); \
  return result

ssize_t write(int file, const void *data, size_t length) {
  NEXT(write);
  if (!is_known(file)) return next(file, data, length);
  LOCKED(ssize_t, write_recorded(file, data, length));
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
  NEXT(pwrite64);
  if (!is_known(file)) return next(file, data, length, offset);
  LOCKED(ssize_t, pwrite_recorded(file, data, length, offset));
}

ssize_t pwrite(int file, const void *data, size_t length, off_t offset) {
  return pwrite64(file, data, length, offset);
}

/* One part a call: the caller continues after a short write. */
ssize_t writev(int file, const struct iovec *parts, int count) {
  NEXT(writev);
  if (!is_known(file) || count < 1) return next(file, parts, count);
  return write(file, parts[0].iov_base, parts[0].iov_len);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
  NEXT(pwritev64);
  if (!is_known(file) || count < 1) return next(file, parts, count, offset);
  return pwrite64(file, parts[0].iov_base, parts[0].iov_len, offset);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(file, parts, count, offset);
}

static int truncate_recorded(int file, off64_t length) {
  NEXT(ftruncate64);
  int result = next(file, length);
  if (result == 0) record('t', file, length, NULL, NULL, 0);
  return result;
}

int ftruncate64(int file, off64_t length) {
  NEXT(ftruncate64);
  if (!is_known(file)) return next(file, length);
  LOCKED(int, truncate_recorded(file, length));
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

static int sync_recorded(int file) {
  enter();
  int64_t number = ++syncs;
  record('b', file, number, NULL, NULL, 0);
  leave();
  /* A disk takes its time: others write meanwhile. */
  usleep(200);
  enter();
  record('f', file, number, NULL, NULL, 0);
  leave();
  return 0;
}

int fsync(int file) {
  NEXT(fsync);
  return is_known(file) ? sync_recorded(file) : next(file);
}

int fdatasync(int file) {
  NEXT(fdatasync);
  return is_known(file) ? sync_recorded(file) : next(file);
}

static int named(char kind, int result, const char *path, const char *other) {
  if (result == 0) record(kind, -1, 0, path, other, other == NULL ? 0 : strlen(other));
  return result;
}

int rename(const char *path, const char *to) {
  NEXT(rename);
  if (!is_below(path)) return next(path, to);
  LOCKED(int, named('r', next(path, to), path, to));
}

int link(const char *path, const char *to) {
  NEXT(link);
  if (!is_below(path)) return next(path, to);
  LOCKED(int, named('l', next(path, to), path, to));
}

int unlink(const char *path) {
  NEXT(unlink);
  if (!is_below(path)) return next(path);
  LOCKED(int, named('u', next(path), path, NULL));
}

int remove(const char *path) {
  NEXT(remove);
  if (!is_below(path)) return next(path);
  LOCKED(int, named('u', next(path), path, NULL));
}

int unlinkat(int at, const char *path, int flags) {
  NEXT(unlinkat);
  if (!is_below(path)) return next(at, path, flags);
  LOCKED(int, named('u', next(at, path, flags), path, NULL));
}

/* What LevelDB writes through a stream goes to the file at once: the C library's own calls cannot be seen. */
FILE *fopen(const char *path, const char *mode) {
  NEXT(fopen);
  /* LevelDB's messages say nothing about rows. */
  if (!is_below(path) || strstr(path, "/LOG") != NULL) return next(path, mode);
  enter();
  FILE *stream = next(path, mode);
  if (stream != NULL) {
    int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC);
    note_opened(fileno(stream), path, flags);
  }
  leave();
  return stream;
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

#undef fwrite_unlocked
size_t fwrite_unlocked(const void *data, size_t size, size_t count, FILE *stream) {
  NEXT(fwrite_unlocked);
  int file = fileno(stream);
  if (!is_known(file)) return next(data, size, count, stream);
  for (size_t done = 0; done < size * count;) {
    ssize_t written = write(file, (const char *)data + done, size * count - done);
    if (written < 0) return done / size;
    done += written;
  }
  return count;
}

int fclose(FILE *stream) {
  NEXT(fclose);
  int file = fileno(stream);
  if (!is_known(file)) return next(stream);
  enter();
  record('c', file, 0, NULL, NULL, 0);
  is_recorded[file] = 0;
  int result = next(stream);
  leave();
  return result;
}
