import type { Hono } from 'hono';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import {
  callAdminApi,
  mayAsk,
  viewOf,
  type Console,
  type ConsoleContext,
  type ConsoleEnv,
} from '../env.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { show } from '../frame.ts';
import { requestOf, type Action, type Params, type Sent } from './action.ts';
import { faultsOf } from '../../frame/form-fields.ts';
import type { PageStatus } from '../../frame/problem-page.ts';
import { problemFrom } from '../../frame/site.ts';
import { dropUploadedFile } from './uploaded-files.ts';
import { confirmPage, formPage } from './pages.ts';
import { heldField, readSent } from './sent.ts';
import { findWritten } from './find-recorded-event.ts';

type ActionContext = { console: Console; action: Action };

/**
 * An action's pages: the form, then a confirmation, then (303) a page that shows the written
 * events. All of it works without script.
 */
export function registerAction(app: Hono<ConsoleEnv>, console: Console, action: Action): void {
  app.use(action.path, async (c, next) => {
    if (!mayAsk(c.get('session'), action.route)) throw new Problem('forbidden');
    await next();
  });

  app.get(action.path, async (c) => {
    const input = await prepare(c, { console, action });
    const { fields = [], form } = input.prepared;
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value ?? '']));
    // Links may fill in a form, but the action must still be confirmed.
    const sent = { ...values, ...form?.initial, ...c.req.query() };
    const formInput = { ...input, values: sent, id: newId() };
    if (fields.length === 0 && !form) return show(c, console, confirmPage(formInput));
    // A form that a link has filled in completely goes straight to the confirmation.
    const isComplete =
      action.request && !action.file && fields.every(({ name }) => sent[name] !== '');
    return isComplete
      ? tryForm(c, {
          console,
          action,
          preparedForm: input,
          sent: { values: sent },
          confirmed: false,
        })
      : show(c, console, formPage(formInput));
  });

  app.post(action.path, async (c) => {
    const sent = await readSent(c, console, action).catch((error: unknown) => {
      // If the file can't be read, the form keeps its other values.
      if (!action.file || !(error instanceof Problem) || !isForTheForm(error)) throw error;
      if (error.code === 'forbidden') throw error;
      return error;
    });
    const preparedForm = await prepare(c, { console, action });
    if (sent instanceof Problem)
      return showForm(c, { console, action, preparedForm, values: {} }, sent);
    const edited = preparedForm.prepared.form?.edit(sent.values);
    if (edited || sent.values['change'] !== undefined)
      return showForm(c, { console, action, preparedForm, values: edited ?? sent.values });
    const confirmed = action.direct === true || sent.values['confirmed'] === 'yes';
    return tryForm(c, { console, action, preparedForm, sent, confirmed });
  });
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
type Trying = ActionContext & {
  preparedForm: Prepared;
  sent: Sent;
  /** By a form: a link alone does nothing. */
  confirmed: boolean;
};

/** Does the action if it is confirmed; else shows the confirmation, or what is wrong. */
async function tryForm(c: ConsoleContext, trying: Trying): Promise<Response> {
  const { console, action, preparedForm, confirmed } = trying;
  let sent = trying.sent;
  try {
    if (action.resolve) sent = { ...sent, values: await action.resolve(console, sent.values) };
    const { values, file } = sent;
    const body = action.body?.(values);
    const { view } = preparedForm;
    const params = { ...preparedForm.params, ...action.request?.(values).params };
    await action.check?.(console, body, params, sent);
    if (!confirmed) {
      const outcome = await action.outcome?.(console, { params, view, body, values, file });
      const page = confirmPage({ ...preparedForm, params, values, id: newId(), body, outcome });
      return await show(c, console, page);
    }
    const run = () =>
      perform(c, { ...trying, sent, preparedForm: { ...preparedForm, params }, body });
    return c.redirect(await console.once(c.get('session'), values['once'], run), 303);
  } catch (error) {
    const problem = problemFrom(c, console, error);
    return showForm(c, { console, action, preparedForm, values: sent.values }, problem);
  }
}

/** The form as it was filled in, with what is wrong with it. */
function showForm(
  c: ConsoleContext,
  {
    console,
    action,
    preparedForm,
    values,
  }: ActionContext & { preparedForm: Prepared; values: Values },
  problem?: Problem,
): Promise<Response> {
  const explanation = problem && action.explainFault?.(preparedForm.view, problem);
  const problemFaults =
    problem && faultsOf(problem, { requestId: c.get('requestId'), details: true });
  const faults = problemFaults && {
    ...problemFaults,
    errors: explanation ? [] : problemFaults.errors,
  };
  for (const [name, value] of Object.entries(problem?.headers ?? {})) c.header(name, value);
  // A faulty file must be corrected, so the form asks for it again.
  const { [heldField]: _held, ...others } = values;
  const filled = explanation ? others : values;
  const page = formPage({ ...preparedForm, values: filled, faults, explanation, id: newId() });
  return show(c, console, { ...page, status: problem ? statusOf(problem) : 200 });
}

/** A form to be corrected is answered by a 400, whatever the API says; a failure by its own. */
const statusOf = ({ code }: Problem) =>
  (problems[code].status >= 500 ? problems[code].status : 400) as PageStatus;

/** Errors of reading a file that the user can correct in the form. */
function isForTheForm({ code }: Problem): boolean {
  const { status } = problems[code];
  return [400, 403, 409, 412, 413, 503].includes(status);
}

async function prepare(c: ConsoleContext, { console, action }: ActionContext) {
  const view = viewOf(c);
  const params: Params = c.req.param();
  return { view, action, params, prepared: await action.prepare(console, { params, view }) };
}

/**
 * Calls the admin API.
 * @returns the next page's path
 * @throws Problem as the API answers
 */
async function perform(
  c: ConsoleContext,
  { console, action, preparedForm, body, sent }: Trying & { body: unknown },
): Promise<string> {
  const { params, prepared, view } = preparedForm;
  const request = requestOf(action.route, params, action.request?.(sent.values).query);
  const file = action.file && sent.file && { bytes: sent.file.bytes, type: action.file.type };
  const answer = await callAdminApi(c, console, { request, body, file });
  const done = { params, body, answer };
  const secret = action.secret?.(done);
  const searched = { streams: action.streams(done), shows: action.shows };
  await console.sessions.keepNotice(c.get('session'), {
    done: view.t(action.say?.(done) ?? action.done),
    events: await findWritten(console.store, searched, c.get('requestId')).catch(
      () => 'unread' as const,
    ),
    ...(action.hadNoEffect?.(done) && { hadNoEffect: true }),
    ...(secret && { secret: { label: view.t(secret.label), value: secret.value } }),
  });
  if (file) await dropUploadedFile(console, c.get('session')).catch(() => undefined);
  return action.next?.(done) ?? prepared.back;
}
