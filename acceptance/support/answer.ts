// What an answer holds is what the tests are about: they say it themselves.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` if there is none or it is no JSON. */
  readonly body: Json;
};
