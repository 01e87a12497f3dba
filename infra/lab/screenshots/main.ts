import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import type { Browser } from 'playwright-core';
import { findChromium, launchChromium } from '#infra/verify/harness/browser/chromium.ts';
import { picturesShown } from '#infra/verify/tidy/documents.ts';
import { startTestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { console as operatorConsole } from './console.ts';
import { docs } from './docs.ts';
import { paymentPageShots } from './payment-page.ts';
import { portal } from './portal.ts';
import { viewports, type Shot, type Shots } from './shots.ts';

/** Every page that has pictures, by the name that `npm run lab -- screenshots <name>` takes. */
const pages: Readonly<Record<string, Shots>> = {
  'payment-page': paymentPageShots,
  console: operatorConsole,
  portal,
  docs,
};

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const shown = picturesShown();
const taken = new Set<string>();
const looks = [
  ['ru', 'light'],
  ['ru', 'dark'],
  ['en', 'light'],
  ['en', 'dark'],
] as const;

/**
 * A browser for each language, because the browser's own texts, such as date fields, are in its
 * language.
 */
async function launchBoth(executable: string): Promise<Record<'ru' | 'en', Browser>> {
  const [ru, en] = await Promise.all([
    launchChromium(executable, 'ru'),
    launchChromium(executable, 'en-GB'),
  ]);
  const [ofRu, ofEn] = await Promise.all([dateField(ru), dateField(en)]);
  if (ofRu.equals(ofEn))
    throw new Error(
      'Chromium has no Russian: apt-get install chromium-l10n, for the date fields of pictures',
    );
  return { ru, en };
}

async function dateField(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage();
  await page.setContent('<input type="date">');
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

/** Converts a picture without loss to WebP, which Chromium can't write as a screenshot. */
async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 1);
  })()`);
  await page.close();
  return Buffer.from(url.replace(/^.*,/, ''), 'base64');
}

/** Takes a picture in the languages and themes that a document shows. */
async function take(
  browsers: Record<'ru' | 'en', Browser>,
  { name, viewport, open }: Shot,
): Promise<void> {
  for (const [language, theme] of looks) {
    const file = `${name}-${language}-${theme}.webp`;
    if (!shown.has(file)) continue;
    const context = await browsers[language].newContext({
      locale: language === 'ru' ? 'ru-RU' : 'en-GB',
      colorScheme: theme,
      viewport: viewports[viewport],
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await open(page);
    const picture = await toWebp(browsers[language], await page.screenshot());
    writeFileSync(`${folder}${file}`, picture);
    taken.add(file);
    process.stdout.write(`${file} ${(picture.length / 1024).toFixed(0)} KB\n`);
    await context.close();
  }
}

const usage = `usage: npm run lab -- screenshots [page]…

Takes the pictures for the documents, of all pages or of some: ${Object.keys(pages).join(', ')}.
Requires Chromium: the distribution's, or the program in CHROMIUM_PATH.
`;
const names = readCommandLine(usage, { allowPositionals: true }).positionals;
const unknown = names.filter((name) => !Object.hasOwn(pages, name));
if (unknown.length > 0) refuseCommandLine(usage, `There is no page ${unknown.join(', ')}`);
const executable = findChromium({ forPictures: true });
if (executable === undefined) {
  process.stderr.write('no Chromium found: apt-get install chromium, or set CHROMIUM_PATH\n');
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
const browsers = await launchBoth(executable);
// Statements are imported for the pictures, so none are fetched from the sandbox meanwhile.
const stack = await startTestStack({
  env: { STATEMENTS_AFTER_S: '86400' },
});
try {
  for (const [name, shotsOf] of Object.entries(pages)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const { shots, close } = await shotsOf(stack);
    for (const shot of shots) await take(browsers, shot);
    await close();
  }
  await Promise.all(Object.values(browsers).map((browser) => browser.close()));
} finally {
  await stack.stop();
}
const missing = [...shown].filter((file) => file.endsWith('.webp') && !taken.has(file));
if (names.length === 0 && missing.length > 0) {
  process.stderr.write(`shown, and not taken: ${missing.join(', ')}\n`);
  process.exitCode = 1;
}
