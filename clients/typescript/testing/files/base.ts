import { createLedger, keys, sampleMoves, type Json } from '../statements.ts';

/** Files for the verifiers, and how the line begins that they print of them. */
export type Files = {
  name: string;
  statement: string | Uint8Array;
  previous?: string | Uint8Array;
  keys: string | Uint8Array;
  line: string;
};

const moves = sampleMoves(40);
export const ofRub = createLedger('shop-1', 'RUB', moves);

/** With a neighbour on both sides: 20 entries in a tree of 33. */
export const middle: Json = ofRub({ from: 10, to: 30, size: 33, fromSize: 12 });
/** The statement before it. */
export const beginning: Json = ofRub({ from: 0, to: 10, size: 12 });
/** It ends where the tree does. */
export const ending: Json = ofRub({ from: 10, to: 33, size: 33, fromSize: 16 });
export const whole: Json = ofRub({ from: 0, to: 40 });
/** All that the tree of `middle` has. */
export const known: Json = ofRub({ from: 0, to: 33, size: 33 });
/** Nothing happened between entry 10 and entry 11. */
export const quiet: Json = ofRub({ from: 10.2, to: 10.7, size: 20 });
export const quietBegin: Json = ofRub({ from: -2, to: -1, size: 20 });
export const quietEnd: Json = ofRub({ from: 40, to: 50 });
export const empty: Json = createLedger('shop-1', 'RUB', [])({ from: 0, to: 5 });
export const euros: Json = createLedger('shop-1', 'EUR', moves)({ from: 0, to: 10, size: 12 });
export const ofOther: Json = createLedger(
  'shop-2',
  'RUB',
  moves.slice(1),
)({ from: 10, to: 30, size: 33 });

export const keysText = JSON.stringify(keys);
export const text = (value: Json): string => JSON.stringify(value);
export const shown = (index: number, ledger = 'shop-1-RUB') => `(${ledger}-${index})`;

/** A copy that was changed; the change may return another one. */
export function changed(value: Json, change: (copy: Json) => Json): Json {
  const copy = structuredClone(value);
  change(copy);
  return copy;
}

export type Case = [name: string, line: string, statement: Json, more?: Partial<Files>];

export const filesFrom = (cases: readonly Case[]): Files[] =>
  cases.map(([name, line, statement, more]) => ({
    name,
    line,
    statement:
      typeof statement === 'string' || statement instanceof Uint8Array
        ? statement
        : text(statement),
    keys: keysText,
    ...more,
  }));
