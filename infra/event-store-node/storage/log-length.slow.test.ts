import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { openNodeDatabase } from './database.ts';
import { createEventLog } from './event-log.ts';
import { LogWriter } from './log-writer.ts';
import { openStore } from './open-store.ts';
import { createRecentIds } from './recent-ids.ts';
import { createScavenger } from './scavenge.ts';
import { StreamDirectory } from './stream-directory.ts';

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeFolder(folder));

const open = (name: string) =>
  openStore(join(folder, name), {
    onFatal: (error) => {
      throw error;
    },
    onRefused: () => undefined,
  });

/** A log with this many streams of one event each. */
function makeLog(
  name: string,
  { streams: count, dataBytes }: { streams: number; dataBytes: number },
): void {
  const database = openNodeDatabase(join(folder, name));
  database.exec('PRAGMA synchronous = OFF');
  const log = createEventLog(database);
  const streams = new StreamDirectory(log, 100);
  const writer = new LogWriter({ log, streams, recentIds: createRecentIds(1024) });
  const content = {
    contentType: 'application/json',
    data: Buffer.alloc(dataBytes),
    metadata: Buffer.alloc(0),
  };
  log.begin();
  for (let index = 0; index < count; index += 1) {
    const stream = `operation-${index}-${'a'.repeat(100)}`;
    const events = [{ id: randomBytes(16), type: 'Happened', ...content }];
    writer.apply({ kind: 'append', stream, expected: { kind: 'no_stream' }, events });
    writer.takeWritten();
  }
  log.commit();
  database.close();
}

/**
 * The bytes that this process has read from the system. Opening a store is one synchronous call, so
 * nothing else reads at that time.
 */
const bytesRead = (): number =>
  Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

function bytesReadToOpen(name: string): number {
  const before = bytesRead();
  const store = open(name);
  const read = bytesRead() - before;
  store.close();
  return read;
}

describe('a store of any length', () => {
  it('reads the same amount when it is opened', () => {
    makeLog('short', { streams: 25_000, dataBytes: 10 });
    makeLog('long', { streams: 75_000, dataBytes: 10 });
    const [short, long] = [bytesReadToOpen('short'), bytesReadToOpen('long')];
    expect(short).toBeGreaterThan(1_000_000);
    expect(long / short).toBeLessThan(1.1);
  });

  it('reads little of large events when it is opened', () => {
    makeLog('large', { streams: 100, dataBytes: 200_000 });
    expect(bytesReadToOpen('large')).toBeLessThan(2_000_000);
  });

  it('has no statement that scans a table', () => {
    const database = openNodeDatabase(folder);
    const statements: string[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = (sql) => {
      statements.push(sql);
      return prepare(sql);
    };
    createEventLog(database);
    createScavenger(database);
    const plans = statements
      .filter((sql) => /^(SELECT|UPDATE|DELETE)/.test(sql))
      .map((sql) => {
        const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
        return { sql, steps: steps.map(({ detail }) => detail) };
      });
    database.close();
    expect(plans.length).toBeGreaterThan(10);
    // The only index that may be scanned contains just the streams to be scavenged.
    const whole =
      /^SCAN (?!CONSTANT ROW)(?!streams USING COVERING INDEX streams_to_scavenge)|TEMP B-TREE/;
    expect(plans.filter(({ steps }) => steps.some((step) => whole.test(step)))).toEqual([]);
  });
});
