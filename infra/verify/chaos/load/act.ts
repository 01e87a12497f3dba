import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { ProxiedStack } from '#infra/verify/harness/stacks/proxied-stack.ts';
import { lastStatus, type StoryRun } from './acted.ts';
import type { LoadSender } from './sender.ts';
import { createStoryMerchant } from './merchant.ts';
import { createOthers } from './others.ts';
import type { ChaosShop } from './shops.ts';
import type { Story } from './stories.ts';

export type StoryStage = {
  readonly stack: ProxiedStack;
  readonly shops: readonly ChaosShop[];
  readonly sender: LoadSender;
  /** The deadline for everything to end, by `performance.now()`. */
  readonly until: () => number;
};

type Cast = {
  acted: StoryRun;
  merchant: ReturnType<typeof createStoryMerchant>;
  others: ReturnType<typeof createOthers>;
};

const pollMs = 250;

/** Plays a story to its end. */
export async function playStory(
  { stack, shops, sender, until }: StoryStage,
  story: Story,
): Promise<StoryRun> {
  const shop = shops[story.shop];
  if (shop === undefined) throw new Error(`${story.key} has no shop`);
  const acted: StoryRun = { story, responses: [], stuck: [], operationId: undefined };
  const merchant = createStoryMerchant({ urls: stack.urls, sender }, shop, acted);
  const others = createOthers({ stack, sender }, acted);
  const cast: Cast = { acted, merchant, others };
  await begin(cast);
  if (acted.operationId === undefined) {
    // A payout whose key was claimed by a cancel is never created.
    if (story.cancel === undefined) acted.stuck.push('no create was answered');
    return acted;
  }
  if (story.link) await others.openPage();
  if (!story.open) await bringToItsEnd(cast);
  if (story.cancel === 'after') await merchant.cancel();
  if (story.clash) await merchant.clash();
  if (story.open) {
    await merchant.read();
    return acted;
  }
  await untilEnded(cast, until);
  if (story.late) await others.command('late-money', { amount: '5.00' });
  await merchant.create();
  if (story.link) await others.openPage();
  return acted;
}

/** The creates, with the requests before and alongside them. */
async function begin({ acted: { story }, merchant }: Cast): Promise<void> {
  await delay(story.pauseMs);
  if (story.cancel === 'before') await merchant.cancel();
  const beginning: Promise<unknown>[] = Array.from({ length: story.creates }, () =>
    merchant.create(),
  );
  if (story.cancel === 'with')
    beginning.push(delay(story.cancelAfterMs).then(() => merchant.cancel()));
  for (let reads = 0; reads < story.reads; reads += 1)
    beginning.push(delay(reads * pollMs).then(() => merchant.read()));
  await Promise.all(beginning);
}

async function untilEnded(cast: Cast, until: () => number): Promise<void> {
  const { acted, merchant } = cast;
  const { byKey } = acted.story;
  while (performance.now() < until()) {
    const answer = await merchant.read(byKey ? undefined : { operation_id: acted.operationId });
    if (answer?.status === 200 && isTerminal(answer.body.status as Operation['status'])) return;
    await delay(pollMs);
    // The command may reach the provider before the operation does.
    await bringToItsEnd(cast);
  }
  acted.stuck.push(`no end came: ${JSON.stringify(acted.responses.at(-1)?.body)}`);
}

/** The steps that the story's slot needs to end. */
async function bringToItsEnd({
  acted: { story, responses },
  merchant,
  others,
}: Cast): Promise<void> {
  const { slot, settle, receipt } = story;
  const status = lastStatus(responses);
  if (status === undefined || isTerminal(status)) return;
  if (slot.end === 'settle') await others.command(settle.command, settle.body);
  if (slot.end === 'settle' && settle.command === 'leg')
    await others.command('settle', { result: 'completed' });
  if (slot.end === 'transfer') await others.transfer();
  if (slot.end !== 'receipt') return;
  if (status === 'awaiting_confirmation') {
    await Promise.all(Array.from({ length: receipt.times }, () => merchant.confirm()));
    await others.command('review', story.review);
  }
  if (status === 'manual_check') await others.review();
}
