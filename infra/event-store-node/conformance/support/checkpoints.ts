import { eventPosition, type RawReadCall, type RawPosition } from './raw-read.ts';

type Step = { kind: string; position: RawPosition };

/** Events and checkpoints with their positions, in order of arrival. */
export const steps = ({ messages, kinds }: RawReadCall): Step[] =>
  messages.flatMap((message, index): Step[] => {
    const kind = kinds()[index]!;
    const checkpoint = message.getCheckpoint();
    if (checkpoint) {
      const commit = BigInt(checkpoint.getCommitPosition());
      return [{ kind, position: { commit, prepare: BigInt(checkpoint.getPreparePosition()) } }];
    }
    return kind === 'event' ? [{ kind, position: eventPosition(message) }] : [];
  });

/** Positions of the checkpoints alone. */
export const checkpointPositions = (open: RawReadCall): RawPosition[] =>
  steps(open).flatMap(({ kind, position }) => (kind === 'checkpoint' ? [position] : []));
