import { listMovements } from './attempt/movements.ts';
import { isSubmitted, type AttemptRecord } from './attempt/record.ts';
import { timerKinds, computeTimers } from './attempt/timers.ts';
import { queueCallback } from './callbacks/queue.ts';
import type { SandboxMemory } from './store/memory.ts';

export type SaveChange = (
  change: { before: AttemptRecord | undefined; after: AttemptRecord },
  how: { nowMs: number; report: boolean },
) => void;

/**
 * Writes a change with its consequences: the attempt's timers, and a callback if the gateway must
 * be notified. To be called in a transaction.
 */
export function createSaveChange(
  memory: SandboxMemory,
  { autopilot, onTimer, onCallback }: { autopilot: boolean; onTimer(): void; onCallback(): void },
): SaveChange {
  return ({ before, after }, { nowMs, report }) => {
    if (before === after) return;
    memory.attempts.put(after);
    if (before?.legs !== after.legs || before?.returns !== after.returns)
      memory.movements.put(after.key, listMovements(after));
    const had = before ? computeTimers(before) : {};
    const has = computeTimers(after);
    for (const kind of timerKinds) {
      const dueMs = has[kind];
      if ((kind === 'autopilot' || kind === 'return') && !autopilot) continue;
      if (dueMs === had[kind]) continue;
      if (dueMs === undefined) memory.timers.clear(after.key, kind);
      else {
        memory.timers.set({ key: after.key, kind, dueMs });
        onTimer();
      }
    }
    if (report && isSubmitted(after) && after.version !== before?.version) {
      queueCallback(memory.callbacks, after, nowMs);
      onCallback();
    }
  };
}
