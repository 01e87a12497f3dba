import type { ActionEntry, FormContent } from '../../frame/actions/form-page.ts';
import type { Html } from '#shared/platform/pages/index.ts';
import type { IncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import type { Problem } from '#shared/platform/http/problems.ts';
import type { Pair } from '../../frame/components.ts';
import type { Console, ConsoleView } from '../env.ts';
import type { UploadedFile } from './uploaded-files.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Words } from '#shared/application/pages/translations.ts';

export type Params = Readonly<Record<string, string>>;

/** Without `back` and `trail` it belongs to the page of its section. */
export type ActionContent = Omit<FormContent, 'back' | 'trail'> &
  Partial<Pick<FormContent, 'back' | 'trail'>>;

export type Done = { params: Params; body: unknown; answer: unknown };

/** The input sent with a form, and not part of its body. */
export type SentForm = { values: Values; file?: UploadedFile | undefined };

/**
 * Something that the console lets an operator do. Each is one request to the admin API, which
 * checks and decides. The console shows a form, then what will be done, then the events that were
 * written.
 */
export type Action = ActionEntry & {
  /** The API request; its parameters come from the path, which may have more. */
  route: string;
  /** @throws Problem not_found if its object does not exist */
  prepare(console: Console, input: { params: Params; view: ConsoleView }): Promise<ActionContent>;
  /** Parameters and a query of the request that the form gives, besides the body. */
  request?(values: Values): { params: Params; query?: Readonly<Record<string, string>> };
  /** The body is a file, from the form's field `file`. It is stored until it is confirmed. */
  file?: {
    maxBytes: number;
    type: string;
    /** The form's other fields. */
    fields: readonly string[];
    /** Files being uploaded. */
    incoming: IncomingBodies<'token'>;
  };
  /**
   * The values with what they name replaced by its id, or with what was not changed as it is now.
   * @throws Problem invalid_request if it can't be found
   */
  resolve?(console: Console, values: Values, prepared: FormContent): Values | Promise<Values>;
  /**
   * The body of the request; what is undefined in it is not sent.
   * @throws Problem invalid_request if the values can't make one
   */
  body?(values: Values, view: Pick<ConsoleView, 'zone'>): unknown;
  /**
   * Finds faults before anything is confirmed. @throws Problem invalid_request, as the API would
   */
  check?(console: Console, body: unknown, params: Params, sent: SentForm): void | Promise<void>;
  /**
   * The expected result, shown before it is confirmed. @throws Problem as the API would answer now
   */
  outcome?(
    console: Console,
    input: { params: Params; view: ConsoleView; body: unknown } & SentForm,
  ): Promise<readonly Pair[]>;
  /** A text above the form instead of its faults; undefined: show the faults. */
  explainFault?(view: ConsoleView, problem: Problem): Html | undefined;
  /** The streams that it may have written to. */
  streams(done: Done): readonly string[];
  /**
   * Which types of its events are shown, among how many of the newest, if it may write many large
   * ones.
   */
  shows?: { types: readonly string[]; among: number };
  /** Shown once. */
  secret?(done: Done): { label: Words; value: string } | undefined;
  /** Shown instead of `done`, if the response has details. */
  describeDone?(done: Done): Words;
  /** Whether it had no effect, so the message is not shown as a success. */
  hadNoEffect?(done: Done): boolean;
  /** The next page; by default `Prepared.back`. */
  next?(done: Done, view: ConsoleView): string;
};

/** A route or a path with its parameters filled in, and a query. */
export function buildPath(
  route: string,
  params: Params,
  query: Readonly<Record<string, string>> = {},
): string {
  const path = route.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}
