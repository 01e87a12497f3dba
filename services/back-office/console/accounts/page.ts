import type { ProviderAccount } from '#shared/domain/provider/accounts.ts';
import { accountNamePattern } from '#shared/domain/provider/events.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import { badge, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { findCredentialsForm } from '../../api/accounts/bodies.ts';
import { checkAccount, hasEnvironments, type CheckResult } from '../../api/accounts/check.ts';
import { callbackPath, canOpenCredentials, accountState } from '../../api/accounts/view.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { at, heading, renderTable, timesIn } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import type { Action } from '../actions/action.ts';
import {
  addAccountAction,
  removeAccountAction,
  renameAccountAction,
  replaceAccountCredentials,
  switchAccountOff,
  switchAccountOn,
} from '../actions/accounts.ts';
import {
  mayCall,
  consoleView,
  type Console,
  type ConsoleView,
  type ConsoleContext,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { accountTexts as texts, checkTexts, stateNames } from './texts.ts';

/** It changes nothing, so it is no action, and the page does it by itself. */
const checking = {
  path: '/providers/:provider/accounts',
  route: 'GET /admin/v1/providers/:provider/accounts/:account/check',
};

/** The accounts with one provider. With `check`, one of them is checked with the provider. */
export async function providerAccountsPage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent> {
  const view = consoleView(c);
  const { provider } = findCredentialsForm(c.req.param('provider'));
  const [{ accounts }, environment, checked] = await Promise.all([
    fromStore(console.directory.providers('now')),
    hasEnvironments(console, provider),
    checkRequested(c, console, provider),
  ]);
  const own = [...accounts.values()].filter((each) => each.provider === provider);
  const { t } = view;
  const title = `${provider}: ${t(texts.title)}`;
  const ofEnvironment = [
    html`<code class="plain">${defaultAccount}</code>`,
    t(texts.environment),
    badge('success', t(stateNames.on)),
    '—',
    html`<code class="plain">/callbacks/${provider}</code>`,
    checkLink(view, provider, defaultAccount),
  ];
  const add = action(view, addAccountAction, {
    params: { provider },
    text: texts.add,
    tone: 'primary',
  });
  return {
    title,
    body: html`${heading(title, add, html`${t(texts.about)} ${timesIn(view)}`)}
    ${checked && checkNotice(view, checked)}
    ${renderTable(view, {
      caption: t(texts.title),
      columns: [
        texts.account,
        texts.label,
        texts.state,
        texts.credentials,
        texts.callbacks,
        common.actions,
      ],
      rows: [
        ...(environment ? [ofEnvironment] : []),
        ...own.map((each) => [
          html`<code class="plain">${each.account}</code>`,
          each.label,
          stateCell(view, each),
          credentialsCell(view, each, console),
          html`<code class="plain">${callbackPath(each)}</code>`,
          renderActions(view, each),
        ]),
      ],
      empty: t(texts.empty),
    })}`,
  };
}

type AccountCheck = CheckResult & { account: string };

async function checkRequested(
  c: ConsoleContext,
  console: Console,
  provider: string,
): Promise<AccountCheck | undefined> {
  const account = c.req.query('check');
  if (account === undefined || !accountNamePattern.test(account)) return undefined;
  if (!mayCall(c.get('session'), checking.route)) return undefined;
  const of = { provider, account };
  return { account, ...(await checkAccount(console, of, c.get('session').holder)) };
}

const tones = {
  ok: 'success',
  refused: 'danger',
  unknown: 'warning',
  unsupported: 'info',
} as const;

function checkNotice({ t }: ConsoleView, { account, result, cause }: AccountCheck): Html {
  return notice(
    tones[result],
    html`<p>
      <strong>${account}</strong>: ${t(checkTexts[result])}
      ${cause !== undefined && html`<code class="plain">${cause}</code>`}
    </p>`,
  );
}

const tonesOfState = { on: 'success', off: 'danger', removed: 'neutral' } as const;
const operatorName = (by: string) => by.replace(/^operator:/, '');

function stateCell(view: ConsoleView, account: ProviderAccount): Html {
  const state = accountState(account);
  const stopped = account.removed ?? account.off;
  const name = view.t(stateNames[state]);
  if (!stopped) return badge(tonesOfState[state], name);
  return html`${badge(tonesOfState[state], name, 'slash')} ${at(view, stopped.since)}
    <span class="muted">${operatorName(stopped.by)}</span><br />${stopped.reason}`;
}

/** The identifying fields of the credentials, who set them and when; never the credentials. */
function credentialsCell(view: ConsoleView, account: ProviderAccount, console: Console): Html {
  const { credentials, changed, previous, version } = account;
  const { t } = view;
  return html`<code class="plain">${credentials.fingerprint}</code><br /><span class="muted small"
      >${t(texts.version)} ${version}, ${t(texts.setBy)} ${at(view, changed.at)}
      ${operatorName(changed.by)}</span
    >${
      previous &&
      Date.parse(previous.until) > Date.now() &&
      html`<br /><span class="muted small">${t(texts.previous)} ${at(view, previous.until)}</span>`
    }${
      canOpenCredentials(console, account)
        ? sealedBefore(view, console.credentialKeys.isSealedAsNow(credentials))
        : html`<br />${badge('danger', t(texts.unreadable), 'warning')}`
    }`;
}

const sealedBefore = ({ t }: ConsoleView, isSealedAsNow: boolean): Html | string =>
  isSealedAsNow ? '' : html`<br /><span class="muted small">${t(texts.sealedBefore)}</span>`;

function checkLink(view: ConsoleView, provider: string, account: string): Html | string {
  return action(view, checking, {
    params: { provider },
    query: { check: account },
    text: texts.check,
  });
}

function renderActions(
  view: ConsoleView,
  { provider, account, off, removed }: ProviderAccount,
): Html | string {
  const check = checkLink(view, provider, account);
  const link = (of: Action, text: Words, tone: 'primary' | 'danger' | '' = '') =>
    action(view, of, { params: { provider, account }, text, tone });
  const replace = link(replaceAccountCredentials, texts.replace);
  if (removed) return html`<div class="row">${check} ${replace}</div>`;
  return html`<div class="row">
    ${check} ${replace} ${link(renameAccountAction, texts.rename)}
    ${off ? link(switchAccountOn, common.switchOn, 'primary') : link(switchAccountOff, common.switchOff, 'danger')}
    ${off && link(removeAccountAction, common.remove, 'danger')}
  </div>`;
}
