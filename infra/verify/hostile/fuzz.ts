import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { makeAttack, type Attack } from './attack.ts';
import { judgeExchange } from './judge.ts';
import { exchangeRaw, type RawExchange } from './raw-client.ts';
import type { AttackTarget } from './targets.ts';

export type FuzzReport = Awaited<ReturnType<typeof fuzz>>;

type FuzzOptions = {
  seed: number;
  /**
   * The attacks on each target: from number `first` on, until `until` returns true, or `count` of
   * them.
   */
  first?: number;
  count: number;
  until?: () => boolean;
};

const concurrency = 12;
const maxFindings = 50;
const shownBytes = 600;

/** The attack with a number; deterministic by seed, target and number. */
export function attackAt(target: AttackTarget, seed: number, at: number): Attack {
  const random = createRandom(seed * 1_000_003 + at * 7_919 + hash(target.name));
  const [first, ...more] = target.seeds;
  if (!first) throw new Error(`${target.name} has no requests`);
  const attack = random.pick([first, ...more]);
  // The payment page identifies clients by the headers of a proxy.
  const headers = {
    ...attack.headers,
    'x-forwarded-for': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
  };
  return makeAttack(random, { ...attack, headers });
}

/** Sends hostile requests to the targets in turn, and judges the answers. */
export async function fuzz(targets: readonly AttackTarget[], options: FuzzOptions) {
  const { seed, first = 0, count, until = () => false } = options;
  const findings: ReturnType<typeof toFinding>[] = [];
  /** Counts by status; 0: the connection was closed without an answer. */
  const statuses = new Map<number, number>();
  let [next, sent, slowestMs] = [0, 0, 0];
  const worker = async () => {
    while (next < count && !until() && findings.length < maxFindings) {
      const number = next;
      next += 1;
      const target = targets[number % targets.length] as AttackTarget;
      const at = first + Math.floor(number / targets.length);
      const attack = attackAt(target, seed, at);
      const result = await exchangeRaw(target.port, attack);
      sent += 1;
      if (attack.whole) slowestMs = Math.max(slowestMs, result.ms);
      const status = result.answers.at(-1)?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const fault = judgeExchange(result, target.form);
      if (fault !== undefined) findings.push(toFinding(target, { at, attack, result, fault }));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { sent, statuses, slowestMs, findings };
}

/** A request with a forbidden result: `--seed`, `--target` and `--at` repeat it. */
function toFinding(
  target: AttackTarget,
  { at, attack, result, fault }: { at: number; attack: Attack; result: RawExchange; fault: string },
) {
  const shown = (text: string) => JSON.stringify(text.slice(0, shownBytes));
  const answer = result.answers.map(({ status, body }) => `${status} ${body}`).join(' | ');
  const request = Buffer.concat(attack.chunks).toString('latin1');
  return {
    target: target.name,
    at,
    kind: attack.kind,
    fault,
    request: shown(request),
    answer: shown(answer),
  };
}

function hash(text: string): number {
  let value = 0;
  for (const unit of text) value = (value * 31 + unit.charCodeAt(0)) >>> 0;
  return value;
}
