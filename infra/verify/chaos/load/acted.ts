import type { Operation } from '#shared/domain/operation/state.ts';
import type { Told } from './history.ts';
import type { Story } from './stories.ts';

/** One operation and all that was said of it. */
export type Acted = {
  readonly story: Story;
  readonly told: Told[];
  /** What no end came to, in time. */
  readonly stuck: string[];
  operationId: string | undefined;
};

/** The newest status that was shown, undefined where none was. */
export function lastStatus(told: readonly Told[]): Operation['status'] | undefined {
  const shown = told.findLast(
    ({ status, body }) => status === 200 && typeof body?.status === 'string',
  );
  return shown?.body.status as Operation['status'] | undefined;
}
