import type { Hono } from 'hono';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { ask, mayAsk, viewOf, type Console, type ConsoleContext, type ConsoleEnv } from '../env.ts';
import { checkFormToken, readForm } from '#shared/platform/sessions/form.ts';
import { show } from '../frame.ts';
import { requireSessionStill } from '../session/require.ts';
import type { Faults } from '#shared/application/pages/form-fields.ts';
import { requestOf, type Action, type Params } from './action.ts';
import { confirmPage, formPage } from './pages.ts';
import { findWritten } from './written.ts';

type Given = { console: Console; action: Action };

/**
 * An action's pages: the form, then what will be done with a button that does it, then (303) a page
 * that names the event that was written. All of it works without script.
 */
export function registerAction(app: Hono<ConsoleEnv>, { console, action }: Given): void {
  app.use(action.path, async (c, next) => {
    if (!mayAsk(c.get('session'), action.route)) throw new Problem('forbidden');
    await next();
  });

  app.get(action.path, async (c) => {
    const given = await prepare(c, { console, action });
    const { fields = [], form } = given.prepared;
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value ?? '']));
    // Links may fill a form in; what it does is confirmed all the same.
    const sent = { ...values, ...form?.initial, ...c.req.query() };
    return show(
      c,
      console,
      fields.length === 0 && !form
        ? confirmPage({ ...given, values: sent, id: newId() })
        : formPage({ ...given, values: sent, id: newId() }),
    );
  });

  app.post(action.path, async (c) => {
    const values = await readForm(c);
    await requireSessionStill(c, console, action.route);
    checkFormToken(c.get('session'), values);
    const given = await prepare(c, { console, action });
    const again = async (faults?: Faults, filled = values) =>
      show(c, console, {
        ...formPage({ ...given, values: filled, faults, id: newId() }),
        status: faults ? 400 : 200,
      });
    const edited = given.prepared.form?.edit(values);
    if (edited || values['change'] !== undefined) return again(undefined, edited);
    try {
      const body = action.body?.(values);
      const { params, view } = given;
      await action.check?.(console, body, params);
      if (values['confirmed'] !== 'yes' && !action.direct) {
        const outcome = await action.outcome?.(console, { params, view, body, values });
        return await show(c, console, confirmPage({ ...given, values, id: newId(), body, outcome }));
      }
      const run = () => perform(c, { console, action, given, body });
      return c.redirect(await console.once(c.get('session'), values['once'], run), 303);
    } catch (error) {
      if (!(error instanceof Problem) || !isForTheForm(error)) throw error;
      return again({ text: error.errors ? '' : error.detail, errors: error.errors ?? [] });
    }
  });
}

/** Errors that the user can correct in the form. */
function isForTheForm({ code }: Problem): boolean {
  const { status } = problems[code];
  return [400, 403, 409, 412, 413, 503].includes(status);
}

async function prepare(c: ConsoleContext, { console, action }: Given) {
  const view = viewOf(c);
  const params: Params = c.req.param();
  return { view, action, params, prepared: await action.prepare(console, { params, view }) };
}

/** Does it by the admin API; returns where to go. @throws Problem as the API answers */
async function perform(
  c: ConsoleContext,
  { console, action, given, body }: Given & { given: Awaited<ReturnType<typeof prepare>>; body: unknown },
): Promise<string> {
  const { params, prepared, view } = given;
  const answer = await ask(c, console, { request: requestOf(action.route, params), body });
  const done = { params, body, answer };
  const secret = action.secret?.(done);
  await console.sessions.keepNotice(c.get('session'), {
    done: view.t(action.say?.(done) ?? action.done),
    events: await findWritten(console.store, action.streams(done), c.get('requestId')).catch(
      () => 'unread' as const,
    ),
    ...(secret && { secret: { label: view.t(secret.label), value: secret.value } }),
  });
  return action.next?.(done) ?? prepared.back;
}
