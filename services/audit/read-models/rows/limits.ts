import type { ModelName } from './tables.ts';

export type Limits = ReturnType<typeof createLimits>;

/**
 * The position up to which each read model is compared: how far it has read the log. Rows are made
 * from the events up to there.
 */
export function createLimits(initial: Partial<Record<ModelName, number>> = {}) {
  const limits: Partial<Record<ModelName, number>> = { ...initial };
  const skipped = new Set<ModelName>();
  const newest: Partial<Record<ModelName, number>> = {};
  return {
    /** Whether an event at this position counts for the model; remembers that it did. */
    takes: (model: ModelName, position: number): boolean => {
      if (position > (limits[model] ?? Infinity)) {
        skipped.add(model);
        return false;
      }
      newest[model] = position;
      return true;
    },
    set: (model: ModelName, position: number): void => {
      limits[model] = position;
    },
    /** The newest event that counted, 0 if none did. */
    taken: (model: ModelName) => newest[model] ?? 0,
    /** Whether some events did not count. */
    skipped: (model: ModelName) => skipped.has(model),
  };
}
