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
 * The position up to which each read model is compared: that of its checkpoint. Rows are made of
 * the events up to there.
 */
export type Limits = {
  /** Whether an event at this position counts for the model; notes that it has. */
  takes(model: ModelName, position: number): boolean;
  set(model: ModelName, position: number): void;
  /** The newest event that has counted, 0 where none has. */
  taken(model: ModelName): number;
  /** Whether some have not counted. */
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
