import type { Operation } from '#shared/domain/operation/state.ts';
import type { StoryResponse } from './history.ts';
import type { Story } from './stories.ts';

/** One operation and all that was reported of it. */
export type StoryRun = {
  readonly story: Story;
  readonly responses: StoryResponse[];
  /** What no end came to, in time. */
  readonly stuck: string[];
  operationId: string | undefined;
};

/** The newest status that was shown; undefined if none was. */
export function lastStatus(responses: readonly StoryResponse[]): Operation['status'] | undefined {
  const shown = responses.findLast(
    ({ status, body }) => status === 200 && typeof body?.status === 'string',
  );
  return shown?.body.status as Operation['status'] | undefined;
}
