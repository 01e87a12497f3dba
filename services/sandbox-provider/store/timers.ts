import type { DatabaseSync } from 'node:sqlite';
import type { TimerKind } from '../attempt/timers.ts';

type Timer = { key: string; kind: TimerKind; dueMs: number };

export function createTimerStore(db: DatabaseSync) {
  const set = db.prepare('INSERT OR REPLACE INTO timers (key, kind, due_ms) VALUES (?, ?, ?)');
  const clear = db.prepare('DELETE FROM timers WHERE key = ? AND kind = ?');
  const next = db.prepare('SELECT key, kind, due_ms AS dueMs FROM timers ORDER BY due_ms LIMIT ?');
  return {
    /** The one timer of a kind that an attempt has. */
    set: ({ key, kind, dueMs }: Timer) => void set.run(key, kind, Math.ceil(dueMs)),
    clear: (key: string, kind: TimerKind) => void clear.run(key, kind),
    /** The earliest ones. */
    next: (limit: number) => next.all(limit) as Timer[],
  };
}
