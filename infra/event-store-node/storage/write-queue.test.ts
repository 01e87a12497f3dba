import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { WriteRequest, WriteResult } from '../streams/write-request.ts';
import type { LogWriter, StreamEvent } from './log-writer.ts';
import { WriteQueue } from './write-queue.ts';

const LATER_MS = Number.MAX_SAFE_INTEGER;

/** A queue on a log that only records its calls. `fail` is thrown instead of committing. */
function createFixture() {
  const done: string[] = [];
  const fatal: unknown[] = [];
  const refused: unknown[] = [];
  const results: WriteResult[] = [];
  const state: { fail: Error | undefined } = { fail: undefined };
  let position = 0;
  let written: StreamEvent[] = [];
  const writer: Pick<LogWriter, 'apply' | 'takeWritten' | 'reset'> = {
    apply({ stream }) {
      position += 1;
      done.push(`write ${stream}`);
      const record = { streamId: 1, revision: 0, id: Buffer.alloc(16), type: 'T', createdMs: 0 };
      written.push({ stream, event: { ...record, position, record: Buffer.alloc(0) } });
      return { kind: 'done', revision: 0, position };
    },
    takeWritten() {
      const taken = written;
      written = [];
      return taken;
    },
    reset() {
      written = [];
      done.push('reset');
    },
  };
  const queue = new WriteQueue({
    transactions: {
      begin: () => void done.push('begin'),
      commit() {
        if (state.fail !== undefined) throw state.fail;
        done.push('commit');
      },
      rollback: () => void done.push('rollback'),
    },
    writer: writer as LogWriter,
    onWritten: (events) => void done.push(`publish ${events.length}`),
    onFatal: (error) => void fatal.push(error),
    onRefused: (error) => void refused.push(error),
  });
  const push = (stream: string, options: { bytes?: number; expiresAtMs?: number } = {}): void => {
    const request: WriteRequest = { kind: 'append', stream, expected: { kind: 'any' }, events: [] };
    const onResult = (result: WriteResult): void => {
      done.push(`answer ${stream}`);
      results.push(result);
    };
    queue.push({ request, bytes: 1, expiresAtMs: LATER_MS, ...options, onResult });
  };
  return { queue, push, done, fatal, refused, results, state };
}

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('disk'), { errcode });
}

describe('the write queue', () => {
  it('commits all writes of one turn together, then answers and publishes them', async () => {
    const { push, done } = createFixture();
    push('a');
    push('b');
    expect(done).toEqual([]);
    await nextTurn();
    expect(done).toEqual([
      'begin',
      'write a',
      'write b',
      'commit',
      'answer a',
      'answer b',
      'publish 2',
    ]);
  });

  it('does not write appends past their deadline', async () => {
    const { push, results, done } = createFixture();
    push('a', { expiresAtMs: 0 });
    await nextTurn();
    expect(results).toEqual([{ kind: 'timeout' }]);
    expect(done).not.toContain('write a');
  });

  it.each([
    [13, 'continues when the disk is full', 0],
    [266, 'stops when the disk fails', 1],
    [11, 'stops when the file is broken', 1],
  ])(
    'after error %i it %s, and writes in progress fail and are not published',
    async (errcode, _, fatalities) => {
      const { push, state, results, done, fatal, refused } = createFixture();
      state.fail = sqliteError(errcode);
      push('a');
      await nextTurn();
      expect(results).toEqual([{ kind: 'failed', message: 'The write failed: disk' }]);
      expect(done).toEqual(['begin', 'write a', 'rollback', 'reset', 'answer a']);
      expect(fatal).toHaveLength(fatalities);
      expect(refused).toHaveLength(1 - fatalities);
      state.fail = undefined;
      push('b');
      await nextTurn();
      expect(results.at(-1)?.kind).toBe(fatalities === 0 ? 'done' : 'failed');
    },
  );

  it('answers all pending writes if the disk fails, and stops once', async () => {
    const { push, state, results, fatal, queue } = createFixture();
    for (let index = 0; index < 2500; index += 1) push('a');
    state.fail = sqliteError(10);
    await nextTurn();
    queue.close();
    expect(results).toHaveLength(2500);
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['failed']));
    expect(fatal).toHaveLength(1);
  });

  it('reports when it is full, and when it has capacity again', async () => {
    const { queue, push, results } = createFixture();
    let hasRoom = false;
    for (let index = 0; index < 40; index += 1) push(`s${index}`, { bytes: 1024 * 1024 });
    expect(queue.isFull()).toBe(true);
    queue.onRoom(() => {
      hasRoom = true;
    });
    for (let turn = 0; turn < 40 && results.length < 40; turn += 1) await nextTurn();
    expect(hasRoom).toBe(true);
    expect(queue.isFull()).toBe(false);
    expect(results).toHaveLength(40);
  });

  it('writes all pending appends on close, and none afterwards', () => {
    const { queue, push, done, results } = createFixture();
    for (let index = 0; index < 2500; index += 1) push('a');
    queue.close();
    expect(results).toHaveLength(2500);
    expect(done.filter((entry) => entry === 'commit')).toHaveLength(3);
    push('late');
    expect(results.at(-1)?.kind).toBe('failed');
  });
});
