import { Problem, problems } from '#shared/platform/http/problems.ts';
import {
  callAdminApi,
  mayCall,
  consoleView,
  type Console,
  type ConsoleView,
  type ConsoleApp,
  type ConsoleContext,
} from '../env.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { sectionLink } from '../../frame/site-map.ts';
import { show } from '../frame.ts';
import type { ConsoleSection } from '../page-entry.ts';
import { buildPath, type Action, type Params, type SentForm } from './action.ts';
import { toFaults, heldField } from '../../frame/form-fields.ts';
import type { PageStatus } from '../../frame/problem-page.ts';
import { problemFrom } from '../../frame/site.ts';
import { dropUploadedFile } from './uploaded-files.ts';
import { formPage, initialValues, type FormContent } from '../../frame/actions/form-page.ts';
import { confirmPage, formPath } from './pages.ts';
import { readSent } from './sent.ts';
import { findWritten } from './find-recorded-event.ts';

/** One request for an action's page. */
type ActionRequest = {
  console: Console;
  /** That it is shown in. */
  section: Pick<ConsoleSection, 'path' | 'name' | 'title'>;
  action: Action;
  view: ConsoleView;
  params: Params;
  prepared: FormContent;
};

/**
 * An action's pages: the form, then a confirmation, then (303) a page that shows the written
 * events. All of it works without script.
 */
export function registerAction(
  app: ConsoleApp,
  console: Console,
  { action, section }: Pick<ActionRequest, 'action' | 'section'>,
): void {
  const prepare = async (c: ConsoleContext): Promise<ActionRequest> => {
    const view = consoleView(c);
    const about = { params: c.req.param() as Params, view };
    const ofSection = { back: section.path, trail: [sectionLink(view, section)] };
    const prepared = { ...ofSection, ...(await action.prepare(console, about)) };
    return { console, action, section, ...about, prepared };
  };

  app.use(action.path, async (c, next) => {
    if (!mayCall(c.get('session'), action.route)) throw new Problem('forbidden');
    await next();
  });

  app.get(action.path, async (c) => {
    const request = await prepare(c);
    const { fields = [], form } = request.prepared;
    // Links may fill in a form, but the action must still be confirmed.
    const values: Values = { ...initialValues(request.prepared), ...c.req.query() };
    if (fields.length === 0 && !form) return showConfirmation(c, { ...request, values });
    // A form that a link has filled in completely goes straight to the confirmation.
    const isComplete =
      action.request && !action.file && fields.every(({ name }) => values[name] !== '');
    return isComplete ? tryForm(c, request, { values }) : showForm(c, request, values);
  });

  app.post(action.path, async (c) => {
    const sent = await readSent(c, console, action).catch((error: unknown) => {
      // If the file can't be read, the form keeps its other values.
      if (!action.file || !(error instanceof Problem) || !isForTheForm(error)) throw error;
      return error;
    });
    const request = await prepare(c);
    if (sent instanceof Problem) return showForm(c, request, {}, sent);
    const { values } = sent;
    const edited = request.prepared.form?.edit(values);
    if (edited || values['change'] !== undefined) return showForm(c, request, edited ?? values);
    return tryForm(c, request, sent, action.direct === true || values['confirmed'] === 'yes');
  });
}

/**
 * Does the action if it is confirmed by a form, as a link alone does nothing; else shows the
 * confirmation, or what is wrong.
 */
async function tryForm(
  c: ConsoleContext,
  request: ActionRequest,
  sent: SentForm,
  confirmed = false,
): Promise<Response> {
  const { console, action, view } = request;
  let values = sent.values;
  try {
    if (action.resolve) values = await action.resolve(console, values, request.prepared);
    const body = action.body?.(values, view);
    const params = { ...request.params, ...action.request?.(values).params };
    const checked = { ...sent, values };
    await action.check?.(console, body, params, checked);
    if (!confirmed) {
      const outcome = await action.outcome?.(console, { params, view, body, ...checked });
      return await showConfirmation(c, { ...request, params, values, body, outcome });
    }
    const run = () => perform(c, { ...request, params, ...checked, body });
    return c.redirect(await console.once(c.get('session'), values['once'], run), 303);
  } catch (error) {
    return showForm(c, request, values, problemFrom(c, console, error));
  }
}

const showConfirmation = (
  c: ConsoleContext,
  request: ActionRequest & Parameters<typeof confirmPage>[0],
): Promise<Response> =>
  show(c, request.console, { ...confirmPage(request), section: request.section.path });

/** The form as it was filled in, with what is wrong with it. */
function showForm(
  c: ConsoleContext,
  { console, action, section, view, prepared }: ActionRequest,
  filled: Values,
  problem?: Problem,
): Promise<Response> {
  const faults = problem && toFaults(problem, { requestId: c.get('requestId'), details: true });
  const explanation = problem && action.explainFault?.(view, problem);
  // A faulty file must be corrected, so the form requires it again.
  const { [heldField]: _held, ...others } = filled;
  const values = explanation ? others : filled;
  const form = formPage({
    view,
    action,
    prepared,
    values,
    to: formPath(view),
    faults: explanation ? undefined : faults,
    explanation,
  });
  const page = { ...form, section: section.path };
  if (!problem) return show(c, console, page);
  return show(c, console, { ...page, status: pageStatus(problem), headers: problem.headers });
}

/** The page's status: 400 for a form to be corrected, whatever the API's is; a failure's own. */
const pageStatus = ({ code }: Problem) =>
  (problems[code].status >= 500 ? problems[code].status : 400) as PageStatus;

/** Errors of reading a file that the user can correct in the form. */
const isForTheForm = ({ code }: Problem): boolean =>
  [400, 409, 412, 413, 503].includes(problems[code].status);

/**
 * Calls the admin API.
 * @returns the next page's path
 * @throws Problem as the API answers
 */
async function perform(
  c: ConsoleContext,
  confirmed: ActionRequest & SentForm & { body: unknown },
): Promise<string> {
  const { console, action, view, params, prepared, body, values } = confirmed;
  const request = buildPath(action.route, params, action.request?.(values).query);
  const file = action.file &&
    confirmed.file && { bytes: confirmed.file.bytes, type: action.file.type };
  const answer = await callAdminApi(c, console, { request, body, file });
  const done = { params, body, answer };
  const secret = action.secret?.(done);
  const searched = { streams: action.streams(done), shows: action.shows };
  await console.sessions.storeNotice(c.get('session'), {
    done: view.t(action.describeDone?.(done) ?? action.done),
    events: await findWritten(console.store, searched, c.get('requestId')).catch(
      () => 'unread' as const,
    ),
    ...(action.hadNoEffect?.(done) && { hadNoEffect: true }),
    ...(secret && { secret: { label: view.t(secret.label), value: secret.value } }),
  });
  if (file) await dropUploadedFile(console, c.get('session')).catch(() => undefined);
  return action.next?.(done, view) ?? prepared.back;
}
