import type { Field } from '#shared/application/pages/form-fields.ts';
import type { Html } from '#shared/platform/pages/index.ts';
import type { Arrivals } from '#shared/platform/http/arrivals.ts';
import type { Problem } from '#shared/platform/http/problems.ts';
import type { Console, View } from '../env.ts';
import type { UploadedFile } from './uploaded-files.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Section } from '../frame.ts';
import type { Words } from '../words.ts';

/** A form that grows: its own buttons change it, and nothing is done by them. */
export type Form = {
  initial: Values;
  fields(values: Values): readonly Field[];
  /** What its own buttons make of it; undefined if none was pressed. */
  edit(values: Values): Values | undefined;
  layout(values: Values, show: (field: Field) => Html): Html;
};

export type Params = Readonly<Record<string, string>>;

/** What an action is about to be done to, and what it asks for. */
export type Prepared = {
  /** Shown above the form: which shop, which key. */
  about: readonly (readonly [string, Html | string])[];
  fields?: readonly Field[];
  /** Instead of `fields`, where what is asked for depends on what was filled in. */
  form?: Form;
  /** More information for the decision. */
  aside?: Html;
  back: string;
  trail: readonly { href: string; text: string }[];
};

export type Done = { params: Params; body: unknown; answer: unknown };

/** What was sent with a form beside the body that is made of it. */
export type Sent = { values: Values; file?: UploadedFile | undefined };

/**
 * Something that the console lets an operator do. All of it is one request to the admin API, which
 * checks and decides; the console asks, shows what will be done, and says which event was written.
 */
export type Action = {
  /** Where its form is, and is sent to; its parameters are those of `route`, and more. */
  path: string;
  /** The request; its parameters are taken from the path. */
  route: string;
  section: Section;
  title: Words;
  /** What it does, and what not. */
  explain: Words;
  /** What the button says that does it. */
  button: Words;
  danger?: boolean;
  /** Its form does it: what is typed is secret, and no other page may hold it. */
  direct?: boolean;
  /** What is said when it was done. */
  done: Words;
  /** @throws Problem not_found if its object does not exist */
  prepare(console: Console, given: { params: Params; view: View }): Promise<Prepared>;
  /**
   * What of the request the form says beside its body: parameters that `path` has not, and a query.
   */
  request?(values: Values): { params: Params; query?: Readonly<Record<string, string>> };
  /**
   * A file that its form brings, in the field `file`, and that is the body: it is kept until it is
   * confirmed.
   */
  file?: {
    maxBytes: number;
    type: string;
    /** The form's other fields. */
    fields: readonly string[];
    /** Those that are on their way. */
    coming: Arrivals;
  };
  /** The body of the request. @throws Problem invalid_request for what can't be made one */
  body?(values: Values): unknown;
  /**
   * Finds faults before anything is confirmed. @throws Problem invalid_request, as the API would
   */
  check?(console: Console, body: unknown, params: Params, sent: Sent): void | Promise<void>;
  /**
   * The expected result, shown before it is confirmed. @throws Problem as the API would answer now
   */
  outcome?(
    console: Console,
    given: { params: Params; view: View; body: unknown } & Sent,
  ): Promise<readonly (readonly [string, Html | string])[]>;
  /** What is said above the form instead of its faults; undefined: these. */
  explainFault?(view: View, problem: Problem): Html | undefined;
  /** The streams that it may have written to. */
  streams(done: Done): readonly string[];
  /**
   * What of its events is shown, where it may write many that are large: of which types, among how
   * many of the newest.
   */
  shows?: { types: readonly string[]; among: number };
  /** Shown once. */
  secret?(done: Done): { label: Words; value: string } | undefined;
  /** Said instead of `done`, where the answer says more. */
  say?(done: Done): Words;
  /** Whether it came to nothing, and what is said of it is no success. */
  inVain?(done: Done): boolean;
  /** Where it leads; `Prepared.back` unless said. */
  next?(done: Done): string;
};

/** The route with the path's parameters in it, and a query. */
export function requestOf(
  route: string,
  params: Params,
  query: Readonly<Record<string, string>> = {},
): string {
  const path = route.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const asked = new URLSearchParams(query).toString();
  return asked === '' ? path : `${path}?${asked}`;
}
