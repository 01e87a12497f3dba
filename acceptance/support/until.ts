import { inspect } from 'node:util';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';

/** Polls until the answer is as required. @throws with the last answer */
export async function until<T>(
  what: string,
  read: () => Promise<T> | T,
  { holds }: { holds: (answer: T) => boolean },
): Promise<T> {
  let answer = await read();
  if (holds(answer)) return answer;
  const check = async () => {
    answer = await read();
    return holds(answer);
  };
  await eventually(what, check, { intervalMs: 25 }).catch((error: unknown) => {
    throw new Error(
      `${(error as Error).message}; last: ${inspect(answer, { depth: 8, breakLength: Infinity })}`,
      { cause: error },
    );
  });
  return answer;
}

/**
 * A time after all that was acknowledged, as the exclusive end of a period: what was just written
 * may have the present millisecond.
 */
export async function timeAfterNow(): Promise<string> {
  const nowMs = Date.now();
  await until('a later time', () => Date.now(), { holds: (ms) => ms > nowMs });
  return new Date().toISOString();
}
