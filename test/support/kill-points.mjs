/**
 * Loaded with `--import` into the processes and threads of a server under test, in front of its own
 * code: ends the process by SIGKILL at one call to the system or to the database, which the file
 * $KILL_POINT names (`killing-server.ts` writes it). That file is removed first, so no process dies
 * twice of it.
 */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

const file = process.env['KILL_POINT'] ?? '';
const SUBJECT_BYTES = 400;

/** What may be done between a look and the next one is not seen by others: the file is small. */
function pointNow() {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** @param subject path, keys or bytes of the call */
function pass(call, moment, subject) {
  const point = pointNow();
  if (point === null || point.call !== call || point.moment !== moment) return;
  if (!new RegExp(point.subject, 's').test(subject())) return;
  if (point.via !== undefined && !new RegExp(point.via).test(stack())) return;
  fs.rmSync(file);
  process.kill(process.pid, 'SIGKILL');
  // The signal is for the process; this thread must not go on until it has come.
  for (;;);
}

function stack() {
  Error.stackTraceLimit = 100;
  return new Error('here').stack ?? '';
}

const paths = new Map();
const pathOf = (descriptor) => () => paths.get(descriptor) ?? '';

function around(target, name, call, subjectOf) {
  const inner = target[name];
  target[name] = function (...args) {
    const subject = subjectOf(...args);
    pass(call, 'before', subject);
    const answer = inner.apply(this, args);
    const after = () => pass(call, 'after', subject);
    if (answer instanceof Promise)
      return answer.then((value) => {
        after();
        return value;
      });
    after();
    return answer;
  };
}

/** A call that answers to a function, its last argument. */
function aroundCallback(target, name, call, subjectOf) {
  const inner = target[name];
  target[name] = (...args) => {
    const answer = args.pop();
    const subject = subjectOf(...args);
    pass(call, 'before', subject);
    inner(...args, (...results) => {
      pass(call, 'after', subject);
      answer(...results);
    });
  };
}

function watchFiles() {
  const { openSync } = fs;
  fs.openSync = (name, ...rest) => {
    const descriptor = openSync(name, ...rest);
    paths.set(descriptor, String(name));
    return descriptor;
  };
  for (const name of ['fsyncSync', 'fdatasyncSync']) around(fs, name, 'sync', pathOf);
  for (const name of ['fsync', 'fdatasync']) aroundCallback(fs, name, 'sync', pathOf);
  const target = (_from, to) => () => String(to);
  for (const name of ['renameSync', 'linkSync']) around(fs, name, 'name', target);
  around(fs.promises, 'rename', 'name', target);
  around(fs.promises, 'open', 'open', (name) => () => String(name));
  syncBuiltinESMExports();
}

/** Subject: name of the database's folder without its number, then the first parts of the keys, sorted, each once. */
function watchDatabase() {
  let RocksDB;
  try {
    RocksDB = createRequire(process.argv[1])('rocksdb-native');
  } catch {
    return;
  }
  const { write } = RocksDB.prototype;
  RocksDB.prototype.write = function (...args) {
    const batch = write.apply(this, args);
    const tables = new Set();
    // Batches are used again.
    delete batch.flush;
    for (const name of ['tryPut', 'tryDelete']) {
      delete batch[name];
      const inner = batch[name];
      batch[name] = (key, ...rest) => {
        tables.add(Buffer.from(key).subarray(1, Buffer.from(key).indexOf(0)).toString());
        return inner.call(batch, key, ...rest);
      };
    }
    const name = path.basename(this.path ?? '').replace(/-\d+$/, '');
    const subject = () => [name, ...[...tables].sort()].join(' ');
    around(batch, 'flush', 'write', () => subject);
    return batch;
  };
}

if (file !== '') {
  watchFiles();
  const first = (bytes) => () => Buffer.from(bytes).subarray(0, SUBJECT_BYTES).toString('latin1');
  around(net.Socket.prototype, 'write', 'send', first);
  if (isMainThread) watchDatabase();
}
