import type { ModelName } from './tables.ts';

export const modelNames = [
  'shops',
  'operations',
  'ledger',
  'suspense',
  'operators',
  'statements',
] as const satisfies ModelName[];

/**
 * The position up to which each read model is compared: how far it has read the log. Rows are made
 * from the events up to there.
 */
export type Limits = {
  /** Whether an event at this position counts for the model; remembers that it did. */
  takes(model: ModelName, position: number): boolean;
  set(model: ModelName, position: number): void;
  /** The newest event that counted, 0 if none did. */
  taken(model: ModelName): number;
  /** Whether some events did not count. */
  skipped(model: ModelName): boolean;
};

export function createLimits(initial: Partial<Record<ModelName, number>> = {}): Limits {
  const limits: Partial<Record<ModelName, number>> = { ...initial };
  const skipped = new Set<ModelName>();
  const newest: Partial<Record<ModelName, number>> = {};
  return {
    takes: (model, position) => {
      if (position > (limits[model] ?? Infinity)) {
        skipped.add(model);
        return false;
      }
      newest[model] = position;
      return true;
    },
    set: (model, position) => {
      limits[model] = position;
    },
    taken: (model) => newest[model] ?? 0,
    skipped: (model) => skipped.has(model),
  };
}
