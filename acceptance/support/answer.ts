// Tests assert what an answer holds, so its type is open.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` if there is none or it is no JSON. */
  readonly body: Json;
};
