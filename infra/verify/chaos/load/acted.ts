import type { Operation } from '#shared/domain/operation/state.ts';
import type { RecordedResponse } from './history.ts';
import type { Story } from './stories.ts';

/** One operation and all that was said of it. */
export type Acted = {
  readonly story: Story;
  readonly responses: RecordedResponse[];
  /** What no end came to, in time. */
  readonly stuck: string[];
  operationId: string | undefined;
};

/** The newest status that was shown; undefined if none was. */
export function lastStatus(
  responses: readonly RecordedResponse[],
): Operation['status'] | undefined {
  const shown = responses.findLast(
    ({ status, body }) => status === 200 && typeof body?.status === 'string',
  );
  return shown?.body.status as Operation['status'] | undefined;
}
