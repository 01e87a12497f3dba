import { hash } from 'node:crypto';
import { brokenBy, violationIn } from './invariants.ts';
import { movesFrom } from './moves.ts';
import { modelRules as soundRules, type Rules } from './rules.ts';
import { initialWorld, worldKey, type OperationKind, type Move, type World } from './world.ts';

type Seen = { world: World; from: number; move: Omit<Move, 'next'> | undefined };

export type ModelSearch = { states: number; depth: number; whole: boolean } & (
  | { violation?: undefined }
  | { violation: string; path: Omit<Move, 'next'>[] }
);

/**
 * All worlds reachable from a kind, breadth first, so that a violation has a shortest path.
 * `whole`: the search was exhaustive.
 */
export function search(
  kind: OperationKind,
  { maxStates, broken = {} }: { maxStates: number; broken?: Partial<Rules> },
): ModelSearch {
  const rules = { ...soundRules, ...broken };
  const seen: Seen[] = [{ world: initialWorld(kind), from: -1, move: undefined }];
  const keys = new Set([worldDigest(initialWorld(kind))]);
  let at = 0;
  for (; at < seen.length; at += 1) {
    const { world } = seen[at] as Seen;
    for (const move of movesFrom(world, rules)) {
      const key = worldDigest(move.next);
      const violated = brokenBy(world, move);
      if (violated === undefined && keys.has(key)) continue;
      keys.add(key);
      const { next, ...step } = move;
      seen.push({ world: next, from: at, move: step });
      const violation = violated ?? violationIn(next, rules);
      if (violation === undefined) continue;
      const path = pathTo(seen, seen.length - 1);
      return { states: seen.length, depth: path.length, whole: false, violation, path };
    }
    if (seen.length >= maxStates) break;
  }
  const depth = pathTo(seen, seen.length - 1).length;
  return { states: seen.length, depth, whole: at >= seen.length };
}

function pathTo(seen: readonly Seen[], last: number): Omit<Move, 'next'>[] {
  const path: Omit<Move, 'next'>[] = [];
  for (let at = last; at > 0; at = seen[at]?.from ?? 0) {
    const move = seen[at]?.move;
    if (move) path.unshift(move);
  }
  return path;
}

const worldDigest = (world: World): string => hash('md5', worldKey(world), 'base64');
