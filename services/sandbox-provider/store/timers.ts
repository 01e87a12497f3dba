import type { DatabaseSync } from 'node:sqlite';
import type { TimerKind } from '../attempt/timers.ts';

type Timer = { key: string; kind: TimerKind; dueMs: number };

export type Timers = {
  /** The one timer of a kind that an attempt has. */
  set(timer: Timer): void;
  clear(key: string, kind: TimerKind): void;
  /** The earliest ones. */
  next(limit: number): Timer[];
};

export function createTimers(db: DatabaseSync): Timers {
  const set = db.prepare('INSERT OR REPLACE INTO timers (key, kind, due_ms) VALUES (?, ?, ?)');
  const clear = db.prepare('DELETE FROM timers WHERE key = ? AND kind = ?');
  const next = db.prepare('SELECT key, kind, due_ms FROM timers ORDER BY due_ms LIMIT ?');
  return {
    set: ({ key, kind, dueMs }) => void set.run(key, kind, Math.ceil(dueMs)),
    clear: (key, kind) => void clear.run(key, kind),
    next: (limit) =>
      next.all(limit).map((row) => ({
        key: String(row['key']),
        kind: row['kind'] as TimerKind,
        dueMs: Number(row['due_ms']),
      })),
  };
}
